"""Lets a project, and every package it uses, import lintel under the name ``rest_framework``.

    from lintel import dropin

    dropin.enable()

Two lines at the top of the settings module are enough. From then on ``import rest_framework`` and
``import lintel`` return the same module objects, whether or not the package of that name is
installed: one class, one registry, one set of settings.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from functools import wraps
from importlib import import_module, metadata
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from types import ModuleType

from django.apps.registry import Apps

from lintel import installation

# The package itself checks too, unless its own file was overwritten.
installation.refuse_other_distribution()

from lintel import VERSION  # noqa: E402 -- another project's package has no such name

#: The second name of lintel.
NAME = "rest_framework"

#: The distribution whose version other packages check.
DISTRIBUTION = "djangorestframework"

OWN_NAME = "lintel"

#: Packages whose vocabulary is spoken here too: without them, their names lead to these modules.
STAND_INS = {"drf_spectacular": "lintel.spectacular", "drf_yasg": "lintel.yasg"}

EVERY_DISTRIBUTION = metadata.DistributionFinder.Context()


class DropinError(RuntimeError):
    """``enable()`` came too late: another package is in use under the name ``rest_framework``."""


def enable() -> None:
    """Make the name ``rest_framework`` refer to lintel in this process.

    Call it before anything imports ``rest_framework``; a second call does nothing. Raises
    DropinError if another package of that name has been imported already.
    """
    if is_enabled():
        return
    _refuse_if_taken()
    sys.meta_path.insert(0, AliasFinder())
    _alias_installed_apps()


def is_enabled() -> bool:
    return any(isinstance(finder, AliasFinder) for finder in sys.meta_path)


def _refuse_if_taken() -> None:
    for name, module in list(sys.modules.items()):
        if module is not None and own_name(name) != name:
            place = getattr(module, "__file__", None) or "an unknown place"
            raise DropinError(
                f"{name} has been imported already, from {place}. Call lintel.dropin.enable() "
                "before anything imports rest_framework: in the first lines of the settings "
                "module, or of the program itself."
            )


def own_name(name: str) -> str:
    """Return the name in lintel that ``name`` is an alias of; any other name unchanged."""
    if name == NAME or name.startswith(f"{NAME}."):
        return OWN_NAME + name[len(NAME) :]
    return name


def stand_in(name: str) -> str:
    """Return the module of ours that stands for one of a package that is not installed."""
    package, dot, rest = name.partition(".")
    if package not in STAND_INS or PathFinder.find_spec(package) is not None:
        return name
    return f"{STAND_INS[package]}{dot}{rest}"


class AliasLoader(Loader):
    """Returns an existing module of lintel instead of a new one, and leaves it unchanged."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module was executed when it was imported; the import system replaced its spec.
        module.__spec__ = self.spec


class AliasFinder(metadata.DistributionFinder):
    """Finds ``rest_framework`` and its modules in lintel; comes before all other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = stand_in(fullname) if fullname.startswith(tuple(STAND_INS)) else own_name(fullname)
        spec = find_spec(name) if name != fullname else None
        if spec is None:
            return None
        alias = ModuleSpec(fullname, AliasLoader(name), origin=spec.origin)
        alias.submodule_search_locations = spec.submodule_search_locations
        return alias

    def find_distributions(
        self, context: metadata.DistributionFinder.Context = EVERY_DISTRIBUTION
    ) -> Iterable[metadata.Distribution]:
        """Answer queries for that one distribution; listings of installed ones are unchanged."""
        asked = re.sub(r"[-_.]+", "-", context.name or "").lower()
        return [ApiVersion()] if asked == DISTRIBUTION else []


class ApiVersion(metadata.Distribution):
    def read_text(self, filename: str) -> str | None:
        if filename not in ("METADATA", "PKG-INFO"):
            return None
        return (
            f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {VERSION}\n"
            "Summary: The API of this version, provided by django-lintel\n"
        )

    def locate_file(self, path: str | PathLike[str]) -> Path:
        return Path(__file__).parents[1] / path


def _alias_installed_apps() -> None:
    """Make ``apps.is_installed("rest_framework")`` true; the apps keep their own names."""
    plain = Apps.is_installed

    @wraps(plain)
    def is_installed(self: Apps, app_name: str) -> bool:
        return plain(self, own_name(app_name))

    Apps.is_installed = is_installed  # type: ignore[method-assign]
