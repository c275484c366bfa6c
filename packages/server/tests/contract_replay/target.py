"""The package under test, and the Django environment its cases run in."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

TESTS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Target:
    """What is measured: a package, its settings key, and where project and facts lie."""

    package: str = "lintel"
    settings_key: str = "REST_FRAMEWORK"
    project: Path = TESTS
    facts: Path = TESTS / "contract"

    def module(self, name: str) -> ModuleType:
        """Import a module of the package; `(package)` names the package itself."""
        return importlib.import_module(self.qualified(name))

    def qualified(self, name: str) -> str:
        """Full dotted name of something named relative to the package."""
        return self.package if name == "(package)" else f"{self.package}.{name}"

    def table(self, name: str) -> Path | None:
        """A table of ours beside the facts; none for another package, whose own word counts."""
        path = self.facts / name
        return path if self.package == "lintel" and path.exists() else None

    def own_names(self, value: Any) -> Any:
        """Recorded value with the observed package's name replaced by this package's."""
        if isinstance(value, str):
            return value.replace("rest_framework", self.package)
        if isinstance(value, list):
            return [self.own_names(item) for item in value]
        if isinstance(value, dict):
            return {self.own_names(key): self.own_names(item) for key, item in value.items()}
        return value


current = Target()
problems: list[str] = []


def use(target: Target) -> None:
    """Make `target` the one that every suite of this process measures."""
    global current
    current = target


def start(boot: dict[str, Any] | None = None) -> None:
    """Configure Django for the sample project, create its tables and load its rows.

    `boot` are package settings that have to be in place before the package is imported.
    """
    configure(boot or {})
    import django

    django.setup()
    create_rows()


def create_rows() -> None:
    """Create the tables of the sample project and load its rows."""
    from django.core.management import call_command

    call_command("migrate", run_syncdb=True, verbosity=0)
    load_rows()


def configure(boot: dict[str, Any]) -> None:
    """Set Django up with the sample project's settings, without apps that cannot be imported."""
    sys.path.insert(0, str(current.project))
    from django.conf import settings

    project = importlib.import_module("contract_project.settings")
    values = {name: value for name, value in vars(project).items() if name.isupper()}
    apps = [*values["INSTALLED_APPS"], "django.contrib.admin.apps.SimpleAdminConfig"]
    values["INSTALLED_APPS"] = [app for app in apps if installable(app)]
    values[current.settings_key] = boot
    settings.configure(**values)


def installable(app: str) -> bool:
    """Whether the app can be found; a missing or skipped one is noted as a problem."""
    if app in os.environ.get("CONTRACT_SKIP_APPS", "").split(","):
        problems.append(f"app {app}: left out, it stops django.setup()")
        return False
    try:
        found = bool(importlib.util.find_spec(app.removesuffix(".SimpleAdminConfig")))
    except ImportError:
        found = False
    if not found:
        problems.append(f"app {app}: not there")
    return found


def load_rows() -> None:
    """Fill the tables with the fixture rows; tokens are left out while there is no token model."""
    name = current.qualified("authtoken.models")
    with stand_in(name, Token=SimpleNamespace(objects=SimpleNamespace(create=ignore))):
        importlib.import_module("contract_project.fixtures").load()


def ignore(**values: Any) -> None:
    """Take the place of a manager's `create` while its model does not exist."""


@contextmanager
def stand_in(name: str, **members: Any) -> Iterator[None]:
    """Put a substitute module at `name` for the block, when the real one does not import."""
    try:
        importlib.import_module(name)
    except Exception as error:
        problems.append(f"module {name}: {type(error).__name__}: {error}")
    else:
        yield
        return
    names = [name.rsplit(".", 1)[0], name]
    added = [each for each in names if each not in sys.modules]
    for each in added:
        sys.modules[each] = ModuleType(each)
    vars(sys.modules[name]).update(members)
    try:
        yield
    finally:
        for each in added:
            del sys.modules[each]
