"""Which rows a request may see and refer to: said once, for views, relations and filters.

A view with a ``scope_class`` has only the rows of that scope, and so have the relations of its
serializers and the choices of its filters: a key of any other row is a key that no row has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet
from django.db.models.manager import BaseManager
from django.utils.tree import Node

from lintel.annotations import AnyRequest, AnyView, HookResult, Instance
from lintel.cycle.steps import complete
from lintel.inherited_scopes import ScopeClass, scope_of_relations
from lintel.settings import FROM_VIEW

#: A queryset or a manager: of Django, of a project, or of another library.
Rows: TypeAlias = Any

#: A relation, a serializer or a form.
Field: TypeAlias = Any


class RowScope:
    """The rows that belong to whoever sends a request. One object serves one request.

    ``lookups`` says for each model how its rows lead to the owner, a tenant or a user, as
    ``filter()`` takes it: ``{Room: "tenant", Booking: "room__tenant", Country: None}``, where None
    leaves the rows of a model to everybody. Models may be named as text, ``"app.Model"``. Override
    :meth:`scope_queryset` for other conditions; both methods may be ``async def``.
    """

    lookups: Mapping[type[Model] | str, str | None] = {}

    #: Whether rows outside of the scope count as duplicates for validators of uniqueness, which
    #: tells that they exist. Constraints of the database count all rows in any case.
    unique_among_all: bool = True

    def get_value(self, request: AnyRequest) -> HookResult:
        """Return the owner, or a list or queryset of owners; None owns nothing."""
        return getattr(request.user, "pk", None)

    def scope_queryset(self, queryset: Rows, request: AnyRequest) -> HookResult:
        """Return the rows of a queryset that the request may see and refer to.

        Raises ImproperlyConfigured for a model that ``lookups`` does not have.
        """
        lookup = _lookup_of(self, queryset.model)
        if lookup is None:
            return queryset
        value = complete(self.get_value(request))
        return queryset.none() if value is None else _having(queryset, lookup, value)


def _lookup_of(scope: RowScope, model: type[Model]) -> str | None:
    for cls in model.__mro__:
        for name in (cls, getattr(getattr(cls, "_meta", None), "label", None)):
            if name is not None and name in scope.lookups:
                return scope.lookups[name]
    raise ImproperlyConfigured(
        f"{type(scope).__name__} does not say whose the rows of {model._meta.label} are. Add the "
        f"model to its `lookups`: with the lookup that leads to the owner, or None if everybody "
        f"may see and refer to its rows."
    )


def _having(queryset: Rows, lookup: str, value: object) -> Rows:
    are_many = isinstance(value, QuerySet | list | tuple | set | frozenset)
    condition = {f"{lookup}__in" if are_many else lookup: value}
    if not _crosses_many(queryset.model, lookup):
        return queryset.filter(**condition)
    # A join with many rows would return a row several times.
    rows = queryset.model._base_manager.filter(**condition)
    return queryset.filter(pk__in=rows.values("pk"))


def _crosses_many(model: Instance, lookup: str) -> bool:
    for name in lookup.split("__"):
        options = model._meta
        fields = {field.name: field for field in options.get_fields()}
        field = fields.get(getattr(options.pk, "name", None) if name == "pk" else name)
        if field is None or not field.is_relation:
            return False
        if field.many_to_many or field.one_to_many:
            return True
        model = field.related_model
    return False


# ---- of views, relations, filters ----


def within_view(view: AnyView, queryset: Rows) -> Rows:
    """Return the rows that a view may have; all of them without a request."""
    request, scope_class = getattr(view, "request", None), getattr(view, "scope_class", None)
    if request is None or _is_described(view):
        return queryset
    if getattr(view, "parent_route", None) is not None:
        below = _below_parent(view)
        queryset = queryset.none() if below is None else _scoped(below, queryset, request)
    if scope_class is None:
        return queryset
    return _scoped(_scope_of(scope_class, request), queryset, request)


class OfParent(RowScope):
    """The rows of the parent in the URL of one view."""

    def __init__(self, lookup: str, parent: Instance) -> None:
        self.lookup, self.parent = lookup, parent

    def scope_queryset(self, queryset: Rows, request: AnyRequest) -> HookResult:
        return _having(queryset, self.lookup, self.parent)


def _below_parent(view: AnyView) -> RowScope | None:
    """None as long as check_parents() has not found a parent."""
    if not view.parents:
        return None
    held: OfParent | None = vars(view).get(_OF_PARENT)
    if held is None or held.parent is not view.parents[-1]:
        held = OfParent(view.parent_route.field, view.parents[-1])
        setattr(view, _OF_PARENT, held)
    return held


def within(field: Field, queryset: Rows) -> Rows:
    """Return the rows that input of a relation may refer to.

    Raises ImproperlyConfigured if this depends on a request that the serializer does not know.
    """
    scope_class = _scope_class_of(field)
    if scope_class is None or queryset is None:
        return queryset
    request = _request_of(field, scope_class)
    return _scoped(_scope_of(scope_class, request), queryset, request)


def rows_of(relation: Field) -> Rows:
    """The same for the queryset of a relation, also of one with its own ``get_queryset()``."""
    return within(relation, relation.get_queryset())


def offered_rows(relation: Field) -> Rows:
    """Return the rows that a relation offers as choices: of the parent of a URL, only this one."""
    rows, view = rows_of(relation), relation.context.get("view")
    parents = getattr(view, "parents", None)
    if not parents or view.parent_route.field != _source_of(relation):
        return rows
    if not isinstance(rows, QuerySet) or rows.query.is_sliced or rows.query.combinator:
        return rows
    return rows.filter(pk=parents[-1].pk) if isinstance(parents[-1], rows.model) else rows


def _source_of(relation: Field) -> str | None:
    return relation.source or getattr(relation.parent, "source", None)


def is_scoped(serializer: Field) -> bool:
    """Return whether relations of a serializer that follow its view have a scope."""
    return _scope_of_context(serializer.context) is not None


def owner_in_scope(view: AnyView, request: AnyRequest) -> str | None:
    """The one owner of the rows that a request to a view is about; None for several.

    Several are all that the user has, and may become others; one may be chosen by the request.
    """
    scope_class = getattr(view, "scope_class", None)
    if scope_class is None:
        return None
    value = complete(_scope_of(scope_class, request).get_value(request))
    if value is None or isinstance(value, QuerySet | list | tuple | set | frozenset):
        return None
    return str(value.pk if isinstance(value, Model) else value)


def unique_among(field: Field, queryset: Rows) -> Rows:
    """Return the rows that a validator of a field or serializer compares with new values."""
    scope_class = _scope_of_context(field.context)
    if scope_class is None or scope_class.unique_among_all:
        return queryset
    request = _request_of(field, scope_class)
    return _scoped(_scope_of(scope_class, request), queryset, request)


#: Filters of django-filter that offer what a column holds, in all rows of its model.
_OF_VALUES = frozenset(["AllValuesFilter", "AllValuesMultipleFilter"])


def scope_choices(filterset: Field, view: AnyView) -> None:
    """Leave those choices of filters that are, or come from, rows within the scope of a view."""
    scope_class, request = scope_of_relations(view), getattr(view, "request", None)
    if scope_class is None or request is None or _is_described(view):
        return
    filters = getattr(filterset, "filters", {})
    for name, field in getattr(filterset.form, "fields", {}).items():
        rows = getattr(field, "queryset", None)
        of_column: Instance = filters.get(name)
        if isinstance(rows, QuerySet | BaseManager):
            field.queryset = _scoped(_scope_of(scope_class, request), rows.all(), request)
        elif not _OF_VALUES.isdisjoint(cls.__name__ for cls in type(of_column).__mro__):
            column = of_column.field_name
            shown = within_view(view, filterset.queryset.all()).order_by(column)
            values = shown.values_list(column, flat=True).distinct()
            field.choices = [(value, value) for value in values]


def _scope_class_of(field: Field) -> ScopeClass:
    scope_class = getattr(field, "scope_class", FROM_VIEW)
    return _scope_of_context(field.context) if scope_class == FROM_VIEW else scope_class


def _scope_of_context(context: Mapping[str, AnyView]) -> ScopeClass:
    view = context.get("view")
    scope_class = scope_of_relations(view)
    return None if scope_class is None or _is_described(view) else scope_class


def _is_described(view: AnyView) -> bool:
    """Whether a view is only described, and nobody asks for rows."""
    return bool(getattr(view, "swagger_fake_view", False))


def _request_of(field: Field, scope_class: type[RowScope]) -> AnyRequest:
    context = field.context
    request = context.get("request") or getattr(context.get("view"), "request", None)
    if request is None:
        raise ImproperlyConfigured(
            f"{scope_class.__name__} scopes the rows of {type(field).__name__} "
            f"{field.field_name!r} by the request, which the context of its serializer lacks. Add "
            "`context=view.get_serializer_context()`, or `context={'request': request}`."
        )
    return request


# ---- once for each queryset ----

#: Where a request keeps its scopes, and a query what they have added to it.
_SCOPES, _ADDED = "lintel_scopes", "lintel_scoped"

#: Where a view keeps the scope of its parent.
_OF_PARENT = "lintel_of_parent"


@dataclass(frozen=True, slots=True)
class _Added:
    """What a scope has added to the conditions of a query, which its clones keep."""

    scope: RowScope | None
    conditions: tuple[object, ...]

    def __reduce__(self) -> tuple[object, ...]:
        # A pickled query serves other requests, in other processes.
        return _Added, (None, ())


def _scoped(scope: RowScope, queryset: Rows, request: AnyRequest) -> Rows:
    rows = queryset.all() if isinstance(queryset, BaseManager) else queryset
    if _is_scoped_by(scope, getattr(rows, "query", None)):
        return rows
    result = complete(scope.scope_queryset(rows, request))
    if isinstance(result, QuerySet):
        result = result.all()
        query = result.query
        held = getattr(query, _ADDED, ())
        setattr(query, _ADDED, (*held, _Added(scope, tuple(query.where.children))))
    return result


def _scope_of(scope_class: type[RowScope], request: AnyRequest) -> RowScope:
    scopes = getattr(request, _SCOPES, None)
    if scopes is None:
        scopes = {}
        setattr(request, _SCOPES, scopes)
    if scope_class not in scopes:
        scopes[scope_class] = scope_class()
    scope: RowScope = scopes[scope_class]
    return scope


def _is_scoped_by(scope: RowScope, query: Rows) -> bool:
    """Whether a query still has all conditions of a scope: ``|`` of querysets takes them away."""
    of_scope = [added for added in getattr(query, _ADDED, ()) if added.scope is scope]
    if not of_scope or query.combinator:
        return False
    where, conditions = query.where, of_scope[-1].conditions
    if where.negated or (where.connector != "AND" and conditions):
        return False
    return all(any(_same(condition, held) for held in where.children) for condition in conditions)


def _same(left: object, other: object) -> bool:
    # Clones of a query have new nodes around the same conditions.
    if not isinstance(left, Node) or not isinstance(other, Node):
        return left is other
    return (left.connector, left.negated) == (other.connector, other.negated) and all(
        _pairs_are_same(left.children, other.children)
    )


def _pairs_are_same(ones: Sequence[object], others: Sequence[object]) -> Iterator[bool]:
    yield len(ones) == len(others)
    yield from map(_same, ones, others)
