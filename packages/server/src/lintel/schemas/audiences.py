"""Audiences: the operations that the caller of a request may call, determined cheaply.

Endpoints whose permissions depend only on the caller and the method give the same answer, so one of
each such group is asked. All others are asked one by one. The answers are never kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from lintel.permissions import (
    AND,
    NOT,
    OR,
    AllowAny,
    IsAdminUser,
    IsAuthenticated,
    IsAuthenticatedOrReadOnly,
    OperandHolder,
    SingleOperandHolder,
)
from lintel.provenance import is_of_django, is_ours, looks_up_plainly, reached, reaches_ours
from lintel.schemas.generators import Endpoint
from lintel.settings import SettingDefault

#: Permissions that depend only on the caller and the method, each with its deciding method.
PLAIN = {
    cls: cls.has_permission
    for cls in (AllowAny, IsAdminUser, IsAuthenticated, IsAuthenticatedOrReadOnly)
}

#: The operators that combine permissions, and the classes they create.
COMBINING = {cls: cls.has_permission for cls in (AND, OR, NOT)}
_HOLDERS = {cls: cls.__call__ for cls in (OperandHolder, SingleOperandHolder)}

#: The methods of a view that check permissions.
_ASKED = ("create_view", "has_view_permissions")

#: The attributes of a view that the result depends on.
_HOOKS = ("check_permissions", "get_permissions", "permission_denied", "__init__")
_facts = attrgetter("permission_classes", *_HOOKS)


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """The endpoints of a generator, grouped by what their permissions depend on.

    ``endpoints``, ``classes`` and ``facts`` are the inputs. ``asked`` has one endpoint
    of each group, and all endpoints without a group.
    """

    endpoints: list[Endpoint]
    classes: list[Any]
    facts: list[Any]
    asked: list[Endpoint]


def audience_of(generator: Any, request: Any) -> Hashable:
    """Return a key that differs for callers who see different operations of a generator."""
    own = not vars(generator).keys().isdisjoint(_ASKED)
    if own or not reaches_ours(type(generator), *_ASKED):
        _, endpoints = generator._get_paths_and_endpoints(request)
        return frozenset(each[:2] for each in endpoints if generator.has_view_permissions(*each))
    groups = groups_of(generator)
    open_to_caller = [
        number
        for number, (path, method, callback) in enumerate(groups.asked)
        if generator.has_view_permissions(
            path, method, generator.create_view(callback, method, request)
        )
    ]
    return groups, frozenset(open_to_caller)


def groups_of(generator: Any) -> Groups:
    """Return the groups of the endpoints, recomputed once anything they depend on changes."""
    generator._initialise_endpoints()
    endpoints = generator.endpoints or []
    known: Groups | None = generator.__dict__.get("_lintel_groups")
    same = known is not None and known.endpoints == endpoints
    if known is not None and same and _facts_of(known.classes) == known.facts:
        return known
    classes = list(dict.fromkeys(callback.cls for _, _, callback in endpoints))
    facts = [(_copied(first), *others) for first, *others in _facts_of(classes)]
    made = Groups(list(endpoints), classes, facts, list(_one_of_each(endpoints)))
    generator._lintel_groups = made
    return made


def _facts_of(classes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return the inputs of the views' answers: the code of permissions, and class attributes."""
    code = [cls.has_permission for cls in (*PLAIN, *COMBINING)]
    return [(*code, *(cls.__call__ for cls in _HOLDERS)), *map(_facts, classes)]


def _copied(value: Any) -> Any:
    """Return a copy of a list, because the original of the class may change."""
    return list(value) if isinstance(value, list) else value


def _one_of_each(endpoints: Iterable[Endpoint]) -> Iterator[Endpoint]:
    seen = set()
    for endpoint in endpoints:
        group = _group(endpoint)
        if group is None or group not in seen:
            seen.add(group)
            yield endpoint


def _group(endpoint: Endpoint) -> Hashable:
    """Return the key of an endpoint's permissions, None if the view must be asked."""
    _, method, callback = endpoint
    given = getattr(callback, "initkwargs", {})
    classes = given.get("permission_classes", reached(callback.cls, "permission_classes"))
    if isinstance(classes, SettingDefault):
        classes = callback.cls.permission_classes
    if not isinstance(classes, list | tuple) or not given.keys().isdisjoint(_HOOKS):
        return None
    if not all(map(_looks_at_caller, classes)) or not _has_plain_hooks(callback.cls):
        return None
    return method, tuple(classes)


def _looks_at_caller(permission: Any) -> bool:
    """Return whether a permission depends only on the caller and the method."""
    if type(permission) in _HOLDERS:
        parts = [getattr(permission, name, AllowAny) for name in ("op1_class", "op2_class")]
        return _combines_plainly(permission) and all(map(_looks_at_caller, parts))
    if not isinstance(permission, type) or permission not in PLAIN:
        return False
    return bool(permission.has_permission is PLAIN[permission])


def _combines_plainly(holder: Any) -> bool:
    """Return whether code of this package creates and evaluates a combination."""
    cls, holder_class = holder.operator_class, type(holder)
    is_known = cls in COMBINING and cls.has_permission is COMBINING[cls]
    return is_known and holder_class.__call__ is _HOLDERS[holder_class]


def _has_plain_hooks(cls: Any) -> bool:
    """Return whether no project code affects a view's answer."""
    *hooks, init = (reached(cls, name) for name in _HOOKS)
    is_made_plainly = (is_ours(init) or is_of_django(init)) and cls.__new__ is object.__new__
    return is_made_plainly and looks_up_plainly(cls) and all(map(is_ours, hooks))
