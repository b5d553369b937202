"""Tools for a model whose host has none: they go into the prompt, and calls and results into the text."""

from toolconv.inband.chunks import UpstreamError as UpstreamError
from toolconv.inband.history import from_inband as from_inband, to_inband as to_inband
from toolconv.inband.prompt import tool_prompt as tool_prompt
from toolconv.inband.streaming import (
    AsyncStream as AsyncStream,
    Stream as Stream,
    astream as astream,
    stream as stream,
)
