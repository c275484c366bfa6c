"""What the code of an extra action shows: whether it reads a body, what it returns."""

import dis
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from http import HTTPStatus
from itertools import pairwise
from types import CodeType, FunctionType
from typing import TypeAlias

import django.utils.decorators
from django.http import HttpRequest

from lintel.annotations import AnyView
from lintel.overrides import reached
from lintel.request import Request

#: The name of an instruction, and what it is about.
Step: TypeAlias = tuple[str, object]

ASKING = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER")

#: The actions of the mixins, which read what the serializer says.
USUAL = frozenset(["list", "create", "retrieve", "update", "partial_update", "destroy"])

#: What a handler may ask of its request without reading the body.
HEADS = frozenset(["user", "auth", "method", "META", "headers", "GET", "query_params", "path"])
HEADS |= {"get_full_path", "build_absolute_uri", "get_host", "session", "version"}

#: What requests have by themselves. Anything else is a middleware's, such as the tenant.
REQUESTS = frozenset([*dir(Request), *dir(HttpRequest), *HttpRequest.__init__.__code__.co_names])

#: Words in names that a middleware may give to what it has read.
BODIES = re.compile("body|content|data|file|form|input|json|param|payload|post|stream")

#: What it may ask of its view.
PLAIN = frozenset(["get_object", "get_queryset", "queryset", "filter_queryset", "request"])
PLAIN |= {"get_paginated_response", "check_object_permissions", "kwargs", "args", "action"}
#: A serializer that is made to write a row has nothing to do with a body.
PLAIN |= {"get_serializer", "get_serializer_class", "get_serializer_context"}
#: What a router gives to each view.
PLAIN |= {"basename", "detail", "suffix", "name", "description"}

#: What code asks of a serializer that reads.
VALIDATING = frozenset(["is_valid", "initial_data", "run_validation", "validated_data"])

#: Packages whose decorators read no body: ``transaction.atomic`` is one of ``contextlib``.
HARMLESS = frozenset(["contextlib", "django", __name__.partition(".")[0]])

#: Attributes of requests and views that have to do with the body.
READING = frozenset(["data", "POST", "FILES", "body", "stream", "read", "get_serializer"])


def may_read_body(view: AnyView) -> bool:
    """Say whether an operation may read a body: False for an extra action that cannot.

    It may if it declares a serializer, or touches more of its request or its view than its code
    shows to be harmless.
    """
    handler = extra_action(view)
    if handler is None or "serializer_class" in getattr(handler, "kwargs", {}):
        return True
    code = code_of(handler)
    return code is None or is_decorated(handler) or _touches(code, type(view))


def writes_pages(view: AnyView) -> bool:
    """Say whether an extra action returns pages, as ``list`` does."""
    code = code_of(extra_action(view))
    # Names first, because disassembling takes long.
    may_list = code is not None and not {"get_paginated_response", "list"}.isdisjoint(code.co_names)
    steps = _steps_of(code) if code is not None and may_list else []
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
    handler = extra_action(view)
    code = code_of(handler)
    status = None if code is None else _named_by(code)
    return None if status is None or is_decorated(handler) else status


@lru_cache(maxsize=256)
def _named_by(code: CodeType) -> HTTPStatus | None:
    if not any(name.startswith("HTTP_2") for name in code.co_names):
        return None
    steps = _steps_of(code)
    made = [at for at, step in enumerate(steps) if str(_loaded(step)).endswith("Response")]
    if len(made) != 1 or _returns(steps) > 1:
        return None
    # Before it, statuses are compared with those of other services.
    after = {str(_loaded(step)) for step in steps[made[0] :]}
    named = {name for name in after if name.startswith("HTTP_2")}
    number = named.pop()[5:8] if len(named) == 1 else ""
    return HTTPStatus(int(number)) if number in ("200", "201", "202", "204") else None


def _loaded(step: Step) -> object:
    return step[1] if step[0].startswith("LOAD") else None


def _returns(steps: Sequence[Step]) -> int:
    """Return how often a value is returned that is not just None."""
    return sum(
        after[0] == "RETURN_VALUE" and step != ("LOAD_CONST", None)
        for step, after in pairwise(steps)
    )


def extra_action(view: AnyView) -> object:
    name = getattr(view, "action", None)
    if getattr(view, "action_map", None) is None or name is None or name in USUAL:
        return None
    return getattr(type(view), name, None)


def code_of(handler: object) -> CodeType | None:
    function = inspect.unwrap(handler) if callable(handler) else None
    return function.__code__ if isinstance(function, FunctionType) else None


def is_decorated(handler: object) -> bool:
    """Return whether code around a handler may read the body, or change the response."""
    while isinstance(handler, FunctionType) and hasattr(handler, "__wrapped__"):
        package = str(handler.__globals__.get("__name__")).partition(".")[0]
        code = handler.__code__
        # One that takes anything and hands it on.
        is_open = not code.co_argcount and READING.isdisjoint(code.co_names)
        if (package not in HARMLESS and not is_open) or _hides_decorators(handler):
            return True
        handler = handler.__wrapped__
    return False


def _hides_decorators(wrapper: FunctionType) -> bool:
    """Say whether ``method_decorator`` of Django has decorators of a project."""
    if wrapper.__globals__ is not vars(django.utils.decorators):
        return False
    given = dict(enclosed_by(wrapper)).get("decorators", ())
    each_one = given if isinstance(given, list | tuple) else [given]
    modules = [str(getattr(decorator, "__module__", "")) for decorator in each_one]
    return any(module.partition(".")[0] not in HARMLESS for module in modules)


def enclosed_by(function: FunctionType) -> Iterator[tuple[str, object]]:
    """Yield the names and values that a function takes from those around it."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # nothing has been assigned yet
            yield name, cell.cell_contents


@lru_cache(maxsize=256)
def _steps_of(code: CodeType) -> Sequence[Step]:
    return [(instruction.opname, instruction.argval) for instruction in dis.get_instructions(code)]


def _touches(code: CodeType, cls: type) -> bool:
    keywords = keywords_of(code)
    if "data" in keywords or not VALIDATING.isdisjoint(code.co_names):
        return True
    names = code.co_varnames[: code.co_argcount]
    if len(names) < 2:
        return True
    plain = PLAIN.union(name for name in code.co_names if _holds_data(cls, name))
    heads = HEADS.union(name for name in code.co_names if _is_of_middleware(name))
    harmless = dict(zip(names, (plain, heads), strict=False))
    # Functions inside it may read anything, and so may a base class.
    if {*harmless, "__class__"} & {*code.co_cellvars, *code.co_freevars}:
        return True
    steps = _steps_of(code)
    if "context" in keywords:
        steps = _without_contexts(steps, names[1])
    return any(_hands_on(*pair, harmless, heads) for pair in pairwise(steps))


def _is_of_middleware(name: str) -> bool:
    return not (name.startswith("_") or name in REQUESTS or BODIES.search(name.lower()))


def _holds_data(cls: type, name: str) -> bool:
    """Say whether a class has a value of its own by a name, which knows nothing of the request."""
    value = reached(cls, name)
    return value is not None and not hasattr(type(value), "__get__")


def keywords_of(code: CodeType) -> set[object]:
    """Return the names of keyword arguments; the compiler keeps them as constants."""
    return {name for const in code.co_consts if isinstance(const, tuple) for name in const}


def _without_contexts(steps: Sequence[Step], request: str) -> list[Step]:
    """Leave out the request in ``{"request": request}``, which only passes it to a serializer."""
    passed = {
        at
        for at, step in enumerate(steps[1:-1], 1)
        if "LOAD_FAST" in step[0]
        and step[1] == request
        and steps[at - 1] == ("LOAD_CONST", "request")
        and steps[at + 1][0] == "BUILD_MAP"
    }
    return [step for at, step in enumerate(steps) if at not in passed]


def _hands_on(
    step: Step, following: Step, harmless: Mapping[str, frozenset[str]], heads: frozenset[str]
) -> bool:
    # Anything else than loading a harmless attribute of the view or its request.
    operation, loaded = step
    if operation.startswith(ASKING):
        return loaded == "request" and not _asks(following, heads)
    if "LOAD_FAST" not in operation:
        return False
    *before, last = loaded if isinstance(loaded, tuple) else (loaded,)
    if not harmless.keys().isdisjoint(before):
        return True
    is_harmless = last not in harmless or _asks(following, harmless[str(last)])
    # To put something there reads nothing.
    return not (is_harmless or following[0] == "STORE_ATTR")


def _asks(step: Step, names: frozenset[str]) -> bool:
    return step[0].startswith(ASKING) and step[1] in names
