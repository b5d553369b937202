"""The contract of a dialect as a test class: see :class:`DialectContract`."""

from __future__ import annotations

from toolconv.testing.limits import Limits
from toolconv.testing.prompts import Prompts
from toolconv.testing.readings import Readings
from toolconv.testing.round_trips import RoundTrips
from toolconv.testing.streams import Streams
from toolconv.testing.texts import Texts


class DialectContract(Streams, RoundTrips, Texts, Prompts, Readings, Limits):
    """The contract of every dialect, as tests. Subclass it in a test module and name the dialect::

        class TestMine(DialectContract):
            dialect = MyDialect()

    ``texts`` are generations of the model to try besides those that the dialect renders; ``examples`` is how many
    cases are drawn for a property; ``foreign`` are literals to try in content, besides the dialect's own. A dialect
    whose visible text stands in a frame overrides :meth:`say`.
    """
