"""Checks everything that the command line depends on."""

import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import click

from lintel_client.cli.failures import Failure, Unreachable
from lintel_client.cli.folders import BOOKMARKS
from lintel_client.cli.index import DOCUMENT
from lintel_client.cli.output import print_table
from lintel_client.cli.session import open_client
from lintel_client.cli.sources import credentials_of
from lintel_client.cli.state import CREDENTIALS, HEADERS, HISTORY, SCHEMES, State
from lintel_client.cli.wire import Wire
from lintel_client.errors import ErrorMessage, NetworkError
from lintel_client.headers import checked_header
from lintel_client.origins import Domain
from lintel_document.errors import LintelError
from lintel_document.registry import ENTRY_POINT_GROUP

__all__ = ["doctor"]

Finding = tuple[str, bool, str]
"""What was looked at, whether it is in order, and what was found or is to be done."""


def doctor(wire: Wire) -> None:
    """Print all findings. The exit code is 1 if something is broken."""
    state = State()
    findings = [*_modes(state.folder), *_files(state), *_credentials(state), *_codecs()]
    findings += _service(state, wire)
    rows = [(what, "ok" if fine else "broken", text) for what, fine, text in findings]
    print_table(["check", "state", "details"], rows)
    if not all(fine for _, fine, _ in findings):
        raise click.exceptions.Exit(1)


def _modes(folder: Path) -> Iterator[Finding]:
    """Check that files that may hold secrets belong only to their owner."""
    if not folder.exists():
        yield str(folder), True, "nothing is stored yet"
        return
    if not folder.is_dir():
        yield str(folder), False, "is not a folder; move it away, or set LINTEL_CONFIG_DIR"
        return
    for path in [folder, *sorted(folder.iterdir())]:
        open_to_others = stat.S_IMODE(path.stat().st_mode) & 0o077
        if open_to_others and os.name == "posix":
            wanted = "700" if path.is_dir() else "600"
            yield str(path), False, f"others can use it; run: chmod {wanted} {path}"
    yield "modes of files", True, str(folder)


def _files(state: State) -> Iterator[Finding]:
    readers: dict[str, Callable[[], Any]] = {
        DOCUMENT: state.document,
        HISTORY: state.history,
        CREDENTIALS: state.credentials,
        SCHEMES: state.schemes,
        HEADERS: state.headers,
        BOOKMARKS: state.bookmarks,
    }
    for name, read in readers.items():
        if name != DOCUMENT or (state.folder / DOCUMENT).exists():
            yield _finding(name, read, "can be read")


def _credentials(state: State) -> Iterator[Finding]:
    try:
        stored, schemes, headers = state.credentials(), state.schemes(), state.headers()
    except click.ClickException:
        # Checking the files has reported this already.
        return
    for domain, value in stored.items():
        yield _finding(f"credentials for {domain}", _checking(domain, value), "found")
    for domain, named in schemes.items():
        for name, value in named.items():
            check = partial(_scheme, domain, value)
            yield _finding(f"credentials of {name} for {domain}", check, "found")
    for domain, fields in headers.items():
        for name, value in fields.items():
            check = partial(_header, domain, name, value)
            yield _finding(f"header {name} for {domain}", check, "is valid")


def _checking(domain: str, value: Any) -> Callable[[], object]:
    def check() -> object:
        Domain.parse(domain)
        return checked_header("Authorization", credentials_of(domain, value))

    return check


def _scheme(domain: str, value: Any) -> None:
    Domain.parse(domain)
    credentials_of(domain, value)


def _header(domain: str, name: str, value: str) -> None:
    Domain.parse(domain)
    checked_header(name, value)


def _codecs() -> Iterator[Finding]:
    points = entry_points(group=ENTRY_POINT_GROUP)
    for point in points:
        yield _finding(f"codec {point.name}", partial(_load, point), point.value)
    if not points:
        yield "codecs", True, "only the native one; for OpenAPI and HAL: install lintel-codecs"


def _load(point: EntryPoint) -> None:
    point.load()()


def _service(state: State, wire: Wire) -> Iterator[Finding]:
    try:
        document = state.document()
    except click.ClickException as error:
        yield "document", not (state.folder / DOCUMENT).exists(), error.message
        return
    if document.issues:
        yield "document", True, f"{len(document.issues)} parts are missing; see: lintel issues"
    if not document.url:
        yield "service", True, "the document has no URL"
        return
    try:
        with open_client(state, wire) as (client, _):
            client.reload(document)
    except ErrorMessage as error:
        yield f"service {document.url}", False, _refusal(error)
    except (LintelError, Failure, Unreachable) as error:
        hint = "" if isinstance(error, NetworkError) else "; another codec may be needed"
        yield f"service {document.url}", False, f"{error}{hint}"
    else:
        yield f"service {document.url}", True, "responds"


def _refusal(error: ErrorMessage) -> str:
    if error.status == 401:
        return "401: the credentials are missing, wrong or expired; run: lintel login"
    return f"{error.error.title}; is the URL still right? See: lintel get"


def _finding(what: str, look: Callable[[], object], found: str) -> Finding:
    try:
        look()
    except click.ClickException as error:
        return what, False, error.message
    except Exception as error:
        return what, False, f"{type(error).__name__}: {error}"
    return what, True, found
