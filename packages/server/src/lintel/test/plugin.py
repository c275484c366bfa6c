"""A pytest plugin that checks every exchange of test clients against the OpenAPI schema.

    pytest -p lintel.test.plugin

It is ``lintel_contract.plugin`` for a project: the schema is the project's own, and operations
that it leaves out are left out here. Off unless named on the command line or in ``addopts``. The
page on testing lists the options.
"""

from importlib import import_module
from typing import Any

import pytest

try:
    from lintel_contract import plugin as contract
    from lintel_contract.plugin import pytest_runtest_setup as pytest_runtest_setup
    from lintel_contract.plugin import pytest_sessionfinish as pytest_sessionfinish
    from lintel_contract.plugin import pytest_terminal_summary as pytest_terminal_summary
    from lintel_contract.plugin import pytest_testnodedown as pytest_testnodedown
    from lintel_contract.plugin import take_over as take_over
    from lintel_contract.testing.ledger import Known
    from lintel_contract.testing.recorder import Recorder
except ImportError as error:
    raise pytest.UsageError(
        "The plugin lintel.test.plugin needs lintel-contract: "
        f"install django-lintel[test]. ({error})"
    ) from error


def pytest_addoption(parser: pytest.Parser) -> None:
    contract.pytest_addoption(parser)
    text = "listen to Django's own Client and AsyncClient too"
    group = parser.getgroup("lintel")
    group.addoption("--lintel-django-clients", action="store_true", help=text)
    parser.addini("lintel_django_clients", text, type="bool", default=False)


@pytest.fixture(name="query_budget")
def _query_budget() -> Any:
    """``with query_budget(3): …`` fails if more queries run in the block, and lists them."""
    # Importing Django's connections earlier would come before the settings.
    return import_module("lintel.test.budgets").query_budget


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    # The project's apps are loaded by now; they are not when plugins are.
    module = import_module("lintel.test.recorder")
    option = config.getoption("--lintel-django-clients")
    is_wanted = bool(option or config.getini("lintel_django_clients"))

    def make(source: contract.Source | None, departures: list[Known]) -> Recorder:
        return module.Recorder(source or module.generated, departures, django_clients=is_wanted)

    contract.start(config, make)
