"""What the code of an extra action shows: whether it reads a body, what it returns."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping
from http import HTTPStatus
from itertools import pairwise
from types import CodeType, FunctionType
from typing import TypeAlias

from lintel.annotations import AnyView

#: The name of an instruction, and what it is about.
Step: TypeAlias = tuple[str, object]

ASKING = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER")

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
    handler = _extra_action(view)
    if handler is None or "serializer_class" in getattr(handler, "kwargs", {}):
        return True
    code = _code_of(handler)
    return code is None or _touches(code)


def writes_pages(view: AnyView) -> bool:
    """Say whether an extra action returns pages, as ``list`` does."""
    code = _code_of(_extra_action(view))
    steps = [] if code is None else _steps_of(code)
    return any(
        asked[0].startswith(ASKING)
        and (asked[1] == "get_paginated_response" or (asked[1] == "list" and _is_view(step)))
        for step, asked in pairwise(steps)
    )


def _is_view(step: Step) -> bool:
    loaded = step[1][-1] if isinstance(step[1], tuple) else step[1]
    return loaded == "self"


def only_status(view: AnyView) -> HTTPStatus | None:
    """Return the status of an extra action that makes one response, and names its status."""
    code = _code_of(_extra_action(view))
    steps = [] if code is None else list(dis.get_instructions(code))
    made = sum(each.argval == "Response" for each in steps if each.opname.startswith("LOAD"))
    named = {name for name in _asked_by(view) if name.startswith("HTTP_2")}
    if made != 1 or len(named) != 1:
        return None
    number = named.pop()[5:8]
    return HTTPStatus(int(number)) if number in ("200", "201", "202", "204") else None


def _extra_action(view: AnyView) -> object:
    name = getattr(view, "action", None)
    if getattr(view, "action_map", None) is None or name is None or name in USUAL:
        return None
    return getattr(type(view), name, None)


def _code_of(handler: object) -> CodeType | None:
    function = inspect.unwrap(handler) if callable(handler) else None
    return function.__code__ if isinstance(function, FunctionType) else None


def _asked_by(view: AnyView) -> frozenset[str]:
    """Return the names of all attributes that the code of an extra action asks for."""
    code = _code_of(_extra_action(view))
    steps = [] if code is None else dis.get_instructions(code)
    return frozenset(str(each.argval) for each in steps if each.opname.startswith(ASKING))


def _steps_of(code: CodeType) -> list[Step]:
    return [(each.opname, each.argval) for each in dis.get_instructions(code)]


def _touches(code: CodeType) -> bool:
    names = code.co_varnames[: code.co_argcount]
    if len(names) < 2:
        return True
    harmless = dict(zip(names, (PLAIN, HEADS), strict=False))
    # Functions inside it may read anything, and so may a base class.
    if {*harmless, "__class__"} & {*code.co_cellvars, *code.co_freevars}:
        return True
    return any(_hands_on(*pair, harmless) for pair in pairwise(_steps_of(code)))


def _hands_on(step: Step, following: Step, harmless: Mapping[str, frozenset[str]]) -> bool:
    # Anything else than loading a harmless attribute of the view or its request.
    operation, loaded = step
    if operation.startswith(ASKING):
        return loaded == "request" and not _asks(following, HEADS)
    if "LOAD_FAST" not in operation:
        return False
    *before, last = loaded if isinstance(loaded, tuple) else (loaded,)
    is_used = not harmless.keys().isdisjoint(before)
    return is_used or (last in harmless and not _asks(following, harmless[str(last)]))


def _asks(step: Step, names: frozenset[str]) -> bool:
    return step[0].startswith(ASKING) and step[1] in names
