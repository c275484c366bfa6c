"""What is patched on a package takes effect in the modules that it consists of.

Tests and packages put their own objects in the place of names where those are looked up:
``mock.patch("rest_framework.relations.reverse")``. Where that module is a package here, the name is
looked up in one of its modules, so the exchange is carried on to each that holds the same object.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_MISSING: Any = object()


class _Patchable(ModuleType):
    """A package that carries assignments on to its modules."""

    def __setattr__(self, name: str, value: Any) -> None:
        before = vars(self).get(name, _MISSING)
        super().__setattr__(name, value)
        if before is _MISSING or isinstance(before, ModuleType):
            return
        inside = f"{self.__name__}."
        for path, module in list(sys.modules.items()):
            if path.startswith(inside) and vars(module).get(name, _MISSING) is before:
                setattr(module, name, value)


def carry_on_patches(package: str) -> None:
    """Let names that are patched on a package count in its modules."""
    sys.modules[package].__class__ = _Patchable
