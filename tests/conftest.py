"""Fixtures of the end-to-end tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from service_process import CommandLine, Service, running_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One running service for all tests of this process."""
    with running_service(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def lintel(tmp_path: Path) -> CommandLine:
    """A command line that nobody has used yet."""
    return CommandLine(tmp_path / "configuration")
