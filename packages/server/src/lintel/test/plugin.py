"""A pytest plugin that checks every exchange of test clients against the OpenAPI schema.

    pytest -p lintel.test.plugin

Off unless named on the command line or in ``addopts``. The page on testing lists the options.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.test.signals import setting_changed
from django.utils.module_loading import import_string

from lintel.schemadiff import DocumentError, load
from lintel.test import exchanges
from lintel.test.ledger import DeparturesError, read_known
from lintel.test.summary import report

INSTALL = "The plugin lintel.test.plugin needs jsonschema: install django-lintel[test]."

_RECORDER = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, each also as an ini setting."""
    group = parser.getgroup("lintel", "exchanges checked against the OpenAPI schema")
    for name, text in (
        ("schema", "the schema: a file, or the dotted path of a function or generator of it"),
        ("departures", "a TOML file of known departures, each with its reason"),
        ("report", "write what was found to a JSON file"),
    ):
        group.addoption(f"--lintel-{name}", help=text)
        parser.addini(f"lintel_{name}", text, default="")
    text = "listen to Django's own Client and AsyncClient too"
    group.addoption("--lintel-django-clients", action="store_true", help=text)
    parser.addini("lintel_django_clients", text, type="bool", default=False)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen to the clients. Raises UsageError for a wrong option or a missing library."""
    config = session.config
    try:
        # The project's apps are loaded by now; they are not when plugins are.
        module = import_module("lintel.test.recorder")
    except ImportError as error:
        raise pytest.UsageError(f"{INSTALL} ({error})") from error
    try:
        known = read_known(path) if (path := _path(config, "departures")) else []
        recorder = module.Recorder(_source(config) or module.generated, known)
    except (DeparturesError, DocumentError, ImportError) as error:
        raise pytest.UsageError(str(error)) from error
    config.stash[_RECORDER] = recorder
    exchanges.observers.append(recorder.observe)
    setting_changed.connect(recorder.notice)
    if config.getoption("--lintel-django-clients") or config.getini("lintel_django_clients"):
        config.add_cleanup(import_module("lintel.test.listening").listen())


def pytest_unconfigure(config: pytest.Config) -> None:
    recorder = config.stash.get(_RECORDER, None)
    if recorder is not None:
        exchanges.observers.remove(recorder.observe)
        setting_changed.disconnect(recorder.notice)


def _option(config: pytest.Config, name: str) -> str:
    return str(config.getoption(f"--lintel-{name}") or config.getini(f"lintel_{name}") or "")


def _path(config: pytest.Config, name: str) -> Path | None:
    value = _option(config, name)
    return config.rootpath / value if value else None


def _source(config: pytest.Config) -> Callable[[], Any] | None:
    """Return the source of the schema; None for the project's generator."""
    value = _option(config, "schema")
    if not value:
        return None
    if (config.rootpath / value).is_file():
        content = load(value, folder=config.rootpath).root.value
        return lambda: content
    found: Callable[[], Any] = import_string(value)
    return found


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
    recorder = config.stash.get(_RECORDER, None)
    if recorder is None or hasattr(config, "workeroutput") or not recorder.ledger.is_used:
        return
    terminalreporter.section("exchanges and the OpenAPI schema")
    for line in report(recorder.ledger, recorder.known, terminalreporter.verbosity > 0):
        terminalreporter.write_line(line)
