"""Fixtures of the end-to-end tests."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from service_process import CommandLine, Service, running_service

from lintel.test.plugin import take_over


@pytest.fixture(scope="session")
def service(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Service]:
    """One running service for all tests of this process; the plugin gets its exchanges."""
    folder = tmp_path_factory.mktemp("service")
    exchanges = folder / "exchanges.json"
    with running_service(folder, exchanges) as service:
        yield service
    take_over(pytestconfig, json.loads(exchanges.read_text()))


@pytest.fixture
def lintel(tmp_path: Path) -> CommandLine:
    """A command line without any state yet."""
    return CommandLine(tmp_path / "configuration")
