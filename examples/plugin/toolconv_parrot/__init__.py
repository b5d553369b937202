"""A toolconv plugin: the dialect of the (made-up) Parrot models."""

from toolconv.plugin import hookimpl
from toolconv_parrot.parrot import Parrot


@hookimpl
def toolconv_dialects():
    return [Parrot]


@hookimpl
def toolconv_models():
    return [("parrot-[0-9]*-mute*", "parrot", {"reasoning": "never"})]
