"""What tests of several folders ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hosts.running import Host


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    """A local host of a model, in a process of its own."""
    with Host() as host:
        yield host
