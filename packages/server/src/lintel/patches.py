"""Makes patches of a package's names take effect in its modules.

Tests and packages replace names in the modules where they are looked up:
``mock.patch("rest_framework.relations.reverse")``. If that module is a package here, the name is
looked up in one of its modules, so the replacement is made in each that holds the same object.
"""

import sys
from types import ModuleType
from typing import Any

_MISSING: Any = object()


class _Patchable(ModuleType):
    """A package that repeats assignments in its modules."""

    def __setattr__(self, name: str, value: Any) -> None:
        before = vars(self).get(name, _MISSING)
        super().__setattr__(name, value)
        if before is _MISSING or isinstance(before, ModuleType):
            return
        inside = f"{self.__name__}."
        for path, module in list(sys.modules.items()):
            if path.startswith(inside) and vars(module).get(name, _MISSING) is before:
                setattr(module, name, value)


def carry_on_patches(package: str, *modules: str) -> None:
    """Make names patched on a package take effect in its modules.

    ``import *`` takes what such a package imports, and of its modules only those named here.
    """
    face = sys.modules[package]
    face.__class__ = _Patchable
    public = [name for name in vars(face) if not name.startswith("_")]
    names = [name for name in public if f"{package}.{name}" not in sys.modules]
    vars(face).setdefault("__all__", [*names, *modules])
