"""schemathesis holds the running service against its description: no violation, no error of it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import fuzz
import pytest
from service_description import description
from service_process import PASSWORD, Service, running_service

pytestmark = pytest.mark.xdist_group("fuzz")

#: The same cases in each run; ``make fuzz`` takes longer and others.
BOUNDS = [
    *("--phases", "examples,fuzzing,stateful", "--max-examples", "12"),
    *("--generation-deterministic", "--max-time", "18"),
]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of its own: nothing that others look for stays in it."""
    with running_service(tmp_path_factory.mktemp("fuzzed")) as service:
        yield service


@pytest.mark.parametrize("user", [None, "ada"])
def test_the_service_keeps_to_its_description(
    user: str | None, fuzzed: Service, tmp_path: Path
) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(description("3.1"))
    token = None if user is None else fuzz.token_of(fuzzed.url, user, PASSWORD)
    run = subprocess.run(
        fuzz.command(document, fuzzed.url, token, *BOUNDS),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr
    assert "10 selected / 10 total" in run.stdout
    assert "API Links:" in run.stdout
