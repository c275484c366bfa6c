"""Whether an extra action reads the body of its request, as its code shows."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping
from itertools import pairwise
from types import CodeType, FunctionType
from typing import TypeAlias

from lintel.annotations import AnyView

#: The name of an instruction, and what it is about.
Step: TypeAlias = tuple[str, object]

ASKING = ("LOAD_ATTR", "LOAD_METHOD")

#: The actions of the mixins, which read what the serializer says.
USUAL = frozenset(["list", "create", "retrieve", "update", "partial_update", "destroy"])

#: What a handler may ask of its request without reading the body.
HEADS = frozenset(["user", "auth", "method", "META", "headers", "GET", "query_params", "path"])
HEADS |= {"get_full_path", "build_absolute_uri", "get_host", "session", "version"}

#: What it may ask of its view.
PLAIN = frozenset(["get_object", "get_queryset", "queryset", "filter_queryset", "request"])
PLAIN |= {"get_paginated_response", "check_object_permissions", "kwargs", "args", "action"}


def may_read_body(view: AnyView) -> bool:
    """Say whether an operation may read a body: False for an extra action that cannot.

    It may if it declares a serializer, or touches more of its request or its view than its code
    shows to be harmless.
    """
    name = getattr(view, "action", None)
    if getattr(view, "action_map", None) is None or name is None:
        return True
    handler = getattr(type(view), name, None)
    if "serializer_class" in getattr(handler, "kwargs", {}):
        return True
    function = inspect.unwrap(handler) if handler is not None else None
    return not isinstance(function, FunctionType) or _touches(function.__code__)


def _touches(code: CodeType) -> bool:
    names = code.co_varnames[: code.co_argcount]
    if len(names) < 2:
        return True
    harmless = dict(zip(names, (PLAIN, HEADS), strict=False))
    # Functions inside it may read anything, and so may a base class.
    if {*harmless, "__class__"} & {*code.co_cellvars, *code.co_freevars}:
        return True
    steps = [(each.opname, each.argval) for each in dis.get_instructions(code)]
    return any(_hands_on(*pair, harmless) for pair in pairwise(steps))


def _hands_on(step: Step, following: Step, harmless: Mapping[str, frozenset[str]]) -> bool:
    # Anything else than loading a harmless attribute of the view or its request.
    operation, loaded = step
    if operation in ASKING:
        return loaded == "request" and not _asks(following, HEADS)
    if not operation.startswith("LOAD_FAST"):
        return False
    *before, last = loaded if isinstance(loaded, tuple) else (loaded,)
    is_used = not harmless.keys().isdisjoint(before)
    return is_used or (last in harmless and not _asks(following, harmless[str(last)]))


def _asks(step: Step, names: frozenset[str]) -> bool:
    return step[0] in ASKING and step[1] in names
