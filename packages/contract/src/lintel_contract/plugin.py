"""A pytest plugin that checks every exchange of test clients against an OpenAPI document.

    pytest -p lintel_contract.plugin --lintel-schema schema.yml

Off unless named on the command line or in ``addopts``. The page on contracts lists the options.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from lintel_contract.loading import load
from lintel_contract.places import DocumentError
from lintel_contract.testing import exchanges
from lintel_contract.testing.ledger import DeparturesError, Known, read_known
from lintel_contract.testing.recorder import Recorder
from lintel_contract.testing.summary import report

_RECORDER = pytest.StashKey[Recorder]()

#: Said of a run that checked nothing, so that nobody takes its silence for agreement.
NOTHING_HEARD = "0 exchanges checked against the OpenAPI schema."

#: A function that returns a description.
Source = Callable[[], Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, each also as an ini setting."""
    group = parser.getgroup("lintel", "exchanges checked against an OpenAPI document")
    for name, text in (
        ("schema", "the schema: a file, or the dotted path of a function or generator of it"),
        ("departures", "a TOML file of known departures, each with its reason"),
        ("report", "write what was found to a JSON file"),
    ):
        group.addoption(f"--lintel-{name}", help=text)
        parser.addini(f"lintel_{name}", text, default="")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen to the clients. Raises UsageError for a wrong option."""
    start(session.config, _recorder)


def _recorder(source: Source | None, known: list[Known]) -> Recorder:
    if source is None:
        raise pytest.UsageError(
            "lintel_contract.plugin needs a description: name a file or a function by "
            "--lintel-schema, or by lintel_schema in the ini file."
        )
    return Recorder(source, known)


def start(config: pytest.Config, make: Callable[[Source | None, list[Known]], Recorder]) -> None:
    """Make the recorder from the options, and listen until the run ends."""
    try:
        known = read_known(path) if (path := _path(config, "departures")) else []
        recorder = make(_source(config), known)
    except (DeparturesError, DocumentError) as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_RECORDER] = recorder
    exchanges.observers.append(recorder.observe)
    config.add_cleanup(lambda: exchanges.observers.remove(recorder.observe))
    config.add_cleanup(recorder.listen())


def _option(config: pytest.Config, name: str) -> str:
    return str(config.getoption(f"--lintel-{name}") or config.getini(f"lintel_{name}") or "")


def _path(config: pytest.Config, name: str) -> Path | None:
    value = _option(config, name)
    return config.rootpath / value if value else None


def _source(config: pytest.Config) -> Source | None:
    value = _option(config, "schema")
    if not value:
        return None
    if (config.rootpath / value).is_file():
        content = load(value, folder=config.rootpath).root.value
        return lambda: content
    try:
        source: Source = resolve_name(value)
    except (AttributeError, ImportError, ValueError) as error:
        message = f"lintel_schema {value!r} is neither a file nor a name to import: {error}"
        raise pytest.UsageError(message) from error
    return source


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test sends requests."""
    item.config.stash[_RECORDER].test = item.nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Add the results of a pytest-xdist worker."""
    data = getattr(node, "workeroutput", {}).get("lintel_exchanges")
    if data:
        take_over(node.config, data)


def take_over(config: pytest.Config, data: dict[str, Any]) -> None:
    """Add the results of another process: ``Ledger.data()`` of its recorder, if enabled."""
    recorder = config.stash.get(_RECORDER, None)
    if recorder is not None:
        recorder.ledger.add(data)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Pass on or write the ledger; unknown departures make the run fail."""
    recorder = session.config.stash.get(_RECORDER, None)
    if recorder is None:
        return
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["lintel_exchanges"] = recorder.ledger.data()
        return
    path = _path(session.config, "report")
    if path is not None:
        text = json.dumps(recorder.ledger.data(), indent=1)
        path.write_text(f"{text}\n", encoding="utf-8")
    if recorder.ledger.unknown(recorder.known) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the findings, or that there was nothing to check."""
    recorder = config.stash.get(_RECORDER, None)
    if recorder is None or hasattr(config, "workeroutput"):
        return
    if not recorder.ledger.is_used:
        if not config.getoption("collectonly"):
            terminalreporter.write_line(f"{NOTHING_HEARD} {recorder.hint}".strip())
        return
    terminalreporter.section("exchanges and the OpenAPI schema")
    for line in report(recorder.ledger, recorder.known, terminalreporter.verbosity > 0):
        terminalreporter.write_line(line)
