"""schemathesis checks the running service against its description: no departure, no error."""

import re
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import fuzz
import httpx2
import pytest
from service_description import description
from service_process import PASSWORD, Service, running_service

pytestmark = pytest.mark.xdist_group("fuzz")

#: The same cases in each run, however fast the machine; ``make fuzz`` takes longer and others.
BOUNDS = [
    *("--phases", "examples,fuzzing,stateful", "--max-examples", "8"),
    "--generation-deterministic",
]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A separate service, so that nothing the test creates affects others."""
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
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr
    assert "10 selected / 10 total" in run.stdout
    links = re.search(r"API Links: +(\d+) covered", run.stdout)
    assert links is not None, run.stdout
    # Without a token, nobody could create the rows that most links lead to.
    assert user is None or int(links[1]) > 0


@pytest.mark.parametrize("text", ["\0", "a\0b"])
def test_texts_that_no_database_holds_are_refused(text: str, fuzzed: Service) -> None:
    """Covers what ``allow-x00 = false`` excludes from the cases above."""
    token = fuzz.token_of(fuzzed.url, "ada", PASSWORD)
    basic = b64encode(f"{text}:{text}".encode()).decode()
    fields = {"code": "1", "title": text, "language": text}
    requests: list[tuple[str, str, Any, dict[str, str]]] = [
        ("POST", "snippets/", fields, {"Authorization": f"Token {token}"}),
        ("POST", "snippets/", {"code": text}, {"Authorization": f"Token {token}"}),
        ("POST", "token/", {"username": text, "password": text}, {}),
        ("GET", "snippets/", None, {"Authorization": f"Basic {basic}"}),
        ("GET", f"snippets/?page={quote(text)}&page_size={quote(text)}", None, {}),
        *(("GET", f"{kind}/{quote(text)}/", None, {}) for kind in ("snippets", "users")),
    ]
    for method, path, sent, headers in requests:
        answer = httpx2.request(method, f"{fuzzed.url}{path}", json=sent, headers=headers)
        assert answer.status_code in (400, 401, 404), (method, path, answer.text)
