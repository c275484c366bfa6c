"""Predicates about managers, querysets, queries, models and databases.

*Plain* means that Django alone decides what happens, and that nothing beyond the named features
is used. Every predicate is evaluated anew each time, so that methods patched later are noticed.
Predicates that are only asked behind a door
(:meth:`lintel.trust.originals.Originals.may_be_replaced`) do not ask again whether Django is known.
"""

from collections.abc import Iterable
from operator import attrgetter, is_
from typing import Any

from django.db import models, router
from django.db.models import lookups, signals
from django.db.models.expressions import RawSQL
from django.db.models.manager import BaseManager
from django.db.models.query import ModelIterable
from django.db.models.sql import Query
from django.db.models.sql.datastructures import Join
from django.db.models.sql.where import NothingNode, WhereNode
from django.db.utils import ConnectionRouter

from lintel.overrides import package_of, reached
from lintel.trust.originals import is_of_django
from lintel.trust.store import Store


class Methods:
    """Some methods of a family of classes; knows whether a class has all of them from Django.

    With ``owner``, they must come from this class: other classes of Django may behave differently.
    """

    __slots__ = ("_find", "_known", "_owner", "names")

    def __init__(self, *names: str, owner: Any = None) -> None:
        self.names: frozenset[str] = frozenset(names)
        self._find = attrgetter("__getattribute__", *names)
        self._owner = owner
        #: Classes already checked, whose methods are all Django's.
        self._known: Store[Any, tuple[Any, ...]] = Store()

    def are_of_django(self, cls: Any) -> bool:
        """Return whether calls on instances of the class reach only Django's functions."""
        methods = self._find(cls)
        examined = self._known.get(cls)
        # By identity: a proxy of the project may be equal to the function that it wraps.
        is_unchanged = examined is not None and all(map(is_, examined, methods))
        return is_unchanged or self._examine(cls, methods)

    def _examine(self, cls: Any, methods: tuple[Any, ...]) -> bool:
        is_owned = self._owner is None or self._find(self._owner) == methods
        looked_up, *functions = methods
        if looked_up is not object.__getattribute__:
            return False
        if not is_owned or not all(map(is_of_django, functions)):
            return False
        # A descriptor of the project may return a function of Django now, and another one later.
        held = [reached(cls, name.partition(".")[0]) for name in self.names]
        if not all(map(is_of_django, held)):
            return False
        self._known.keep(cls, methods)
        return True

    def places(self, cls: Any) -> list[tuple[Any, str]]:
        return [(cls, name) for name in ("__getattribute__", *sorted(self.names))]

    def are_of_django_on(self, instance: Any) -> bool:
        """The same for one instance, which may have its own methods."""
        return self.are_of_django(type(instance)) and instance.__dict__.keys().isdisjoint(
            self.names
        )


# ---- managers ----

MANAGING = Methods("__init__", "get_queryset", "all", "db", owner=BaseManager)


_HANDING_OUT = Methods("__init__", "all", owner=BaseManager)


def hands_out_all(manager: Any) -> bool:
    """Return whether ``all()`` returns what ``get_queryset()`` does, which may be the project's."""
    return isinstance(manager, BaseManager) and _HANDING_OUT.are_of_django_on(manager)


# ---- querysets ----

_READ = (
    *("__init__", "_chain", "_clone", "all", "db", "query", "using"),
    *("__iter__", "_fetch_all", "_values", "iterator", "values_list"),
    *("_filter_or_exclude", "_filter_or_exclude_inplace", "filter", "order_by", "ordered"),
)
#: How querysets filter, order and read their rows; get one of them; slice.
READING = Methods(*_READ, owner=models.QuerySet)
_GOT = ("get", "__len__", "_not_support_combined_queries", "_prefetch_related_objects")
GETTING = Methods(*_READ, *_GOT, owner=models.QuerySet)
_COUNTING = Methods(*_READ, "count", owner=models.QuerySet)
LOADING = Methods("_prefetch_related_objects", owner=models.QuerySet)
SLICING = Methods(*_READ, "__getitem__", owner=models.QuerySet)


#: What a queryset holds, and how it is set and made.
_HELD = frozenset(vars(models.QuerySet()))
OF_OBJECTS = ("__setattr__", "__new__")


def holds_plainly(queryset_class: Any) -> bool:
    """Return whether a class makes its querysets, and these hold their values, as any object."""
    return (
        type(queryset_class).__call__ is type.__call__
        and all(getattr(queryset_class, name) is getattr(object, name) for name in OF_OBJECTS)
        and not any(hasattr(type(reached(queryset_class, name)), "__set__") for name in _HELD)
    )


def is_unfetched(queryset: Any) -> bool:
    """Return whether iteration over a queryset will fetch its rows as instances, as Django does."""
    return (
        isinstance(queryset, models.QuerySet)
        and READING.are_of_django(type(queryset))
        # The queryset of a view overrides a method to prevent its evaluation.
        and READING.names.isdisjoint(queryset.__dict__)
        and _state_of(queryset) == _UNFETCHED
        and type(queryset.query) is Query
    )


def is_plain_queryset(queryset: Any, columns: Iterable[str] = ()) -> bool:
    """Whether Django alone makes instances, which have these columns, or annotations."""
    return (
        is_unfetched(queryset)
        and (
            selects_instances(queryset.query)
            if queryset.query.annotations
            else is_plain_query(queryset.query) and reads_columns(queryset.query, columns)
        )
        and is_plain_model(queryset.model)
    )


#: How related rows are fetched on access; configurable since Django 6.1.
FETCH_ONE: Any = getattr(models, "FETCH_ONE", None)

#: Cached rows, how rows are made, instances known beforehand and ``values()``.
_STATE = ("_result_cache", "_iterable_class", "_known_related_objects", "_fields")
_state_of = attrgetter(*_STATE)
_UNFETCHED: tuple[Any, ...] = (None, ModelIterable, {}, None)


def selects_all_rows(queryset: Any) -> bool:
    """Whether a queryset has only a model, a database and what is loaded with each row."""
    if _state_of(queryset) != _UNFETCHED:
        return False
    if getattr(queryset, "_fetch_mode", FETCH_ONE) is not FETCH_ONE:
        return False
    query = queryset.query
    return type(query) is Query and _rows_of(query) == _ALL_ROWS_FOUND and len(query.alias_map) <= 1


def finds_each_alone(queryset: Any) -> bool:
    """Return whether ``filter(pk__in=...)`` finds the same as single ``get(pk=...)`` calls."""
    query = queryset.query
    if queryset._iterable_class is not ModelIterable or query.combinator or query.is_sliced:
        return False
    # A window function counts over the rows of the query, so one row differs from many.
    return not any(
        getattr(annotation, "contains_over_clause", False)
        for annotation in query.annotations.values()
    )


def fetch_modes(queryset: Any) -> list[Any]:
    return [queryset._fetch_mode] if hasattr(queryset, "_fetch_mode") else []


# ---- queries ----

_ALL_COLUMNS: tuple[frozenset[str], bool] = (frozenset(), True)

#: Attributes of a query and what they hold if it has only conditions, an order, limits,
#: ``select_related()`` and deferred columns.
_NO_CHOICES: dict[str, Any] = {
    **dict.fromkeys(("combinator", "explain_info", "group_by"), None),
    **dict.fromkeys(("distinct", "select_for_update", "subquery"), False),
    **dict.fromkeys(("distinct_fields", "extra_order_by", "extra_tables"), ()),
    **dict.fromkeys(("select", "values_select"), ()),
    "annotations": {},
    "extra": {},
    "_filtered_relations": {},
}
_choices_of = attrgetter(*_NO_CHOICES)

#: The same for a query without conditions, limits and deferred columns.
_ALL_ROWS: dict[str, Any] = {
    **_NO_CHOICES,
    "where.children": [],
    "where.negated": False,
    "where.__class__": WhereNode,
    "max_depth": Query.max_depth,
    "low_mark": 0,
    "high_mark": None,
    "deferred_loading": _ALL_COLUMNS,
}
_rows_of = attrgetter(*_ALL_ROWS)
_ALL_ROWS_FOUND: tuple[Any, ...] = tuple(_ALL_ROWS.values())


def is_plain_query(query: Any) -> bool:
    """Return whether a query only selects rows of a model by conditions, in an order."""
    return type(query) is Query and not any(_choices_of(query))


#: The same for a query that computes something for each row.
_NO_CHOICES_BESIDE = [name for name in _NO_CHOICES if name not in ("annotations", "group_by")]
_choices_beside = attrgetter(*_NO_CHOICES_BESIDE)


def selects_instances(query: Any) -> bool:
    """Return whether a query selects what instances have: plain, but for its annotations.

    By these it may have groups.
    """
    return (
        type(query) is Query
        and not any(_choices_beside(query))
        and (query.group_by is None or query.group_by is True)
    )


def columns_of_model(model: type[models.Model]) -> tuple[str, ...]:
    return tuple([field.attname for field in model._meta.concrete_fields])


def loaded_columns(query: Any) -> list[Any]:
    """Fields whose columns instances have; raises what Django does for names of no field."""
    columns: list[Any] = query.get_meta().concrete_fields
    mask = {} if query.deferred_loading == _ALL_COLUMNS else query.get_select_mask()
    return [column for column in columns if column in mask] if mask else columns


def reads_columns(query: Any, lookups: Iterable[str]) -> bool:
    """Whether instances of a query have these columns, and those that lead to others."""
    if query.deferred_loading == _ALL_COLUMNS:
        return True
    if query.select_related:
        return False
    options, loaded = query.get_meta(), loaded_columns(query)
    first = {lookup.partition("__")[0] for lookup in lookups}
    return all(
        (options.pk if name == "pk" else options.get_field(name)) in loaded for name in first
    )


def is_of_one_table(query: Any) -> bool:
    used = {alias for alias, uses in query.alias_refcount.items() if uses}
    return used <= {query.model._meta.db_table}


def tables_of(query: Any) -> tuple[object, ...]:
    """Return the tables of a query and how they are joined; nothing for that of its model alone.

    The result is for comparisons only, as long as the fields behind the joins are kept.
    """
    if len(query.alias_map) <= 1 and is_of_one_table(query):
        return ()
    used = query.alias_refcount
    return (
        query.alias_prefix,
        *[
            (alias, table.table_name, used.get(alias, 0) > 0, *_how_joined(table))
            for alias, table in query.alias_map.items()
        ],
    )


def _how_joined(table: Any) -> tuple[object, ...]:
    if type(table) is not Join:
        return (type(table),)
    return table.join_type, table.nullable, table.parent_alias, id(table.join_field)


def selected_tables(query: Query) -> tuple[object, ...] | None:
    """Return :func:`tables_of` a query with only conditions, an order and limits; None for others.

    Conditions on groups or windows of rows are written elsewhere in a statement.
    """
    if not is_plain_query(query):
        return None
    where = query.where
    if where.children and (where.contains_aggregate or where.contains_over_clause):
        return None
    return tables_of(query)


def counted_tables(queryset: Any) -> tuple[object, ...] | None:
    """:func:`tables_of` a queryset that Django counts as it selects; None for others."""
    query = queryset.query
    if query.is_sliced or not _COUNTING.are_of_django(type(queryset)):
        return None
    return selected_tables(query)


def may_name_tables(query: Any) -> bool:
    """Return whether text of the project, in conditions or the order, may name a joined table."""
    return _may_name_tables([query.where, *query.order_by])


def _may_name_tables(expressions: Any) -> bool:
    for expression in expressions:
        if isinstance(expression, str):
            continue
        if isinstance(expression, RawSQL) or package_of(type(expression)) not in (
            "django",
            "lintel",
        ):
            return True
        inside = _inside(expression)
        if inside is None or _may_name_tables(inside):
            return True
    return False


def _inside(expression: Any) -> Any:
    """None for text."""
    if isinstance(expression, Query):
        return [expression.where, *expression.annotations.values()]
    if isinstance(expression, WhereNode):
        return expression.children
    parts = getattr(expression, "get_source_expressions", None)
    if parts is None:
        return () if isinstance(expression, NothingNode) else None
    return [part for part in parts() if part is not None]


# ---- models ----

_MAKING = Methods("__init__", "from_db.__func__", owner=models.Model)
_INHERITED = attrgetter("__getattribute__", "__new__", "__setattr__")
_OF_OBJECT = _INHERITED(object)
_FROM_DB = vars(models.Model)["from_db"]


def is_plain_model(model: Any) -> bool:
    """Return whether making an instance only sets its columns, and reading one only gets them."""
    return (
        # A receiver would be told about new instances.
        not signals.pre_init.has_listeners(model)
        and not signals.post_init.has_listeners(model)
        and _MAKING.are_of_django(model)
        # Django's constructor calls that of a class listed after its own.
        and super(models.Model, model).__init__ is object.__init__
        and [base for base in model.__mro__ if "from_db" in vars(base)] == [models.Model]
        and vars(models.Model)["from_db"] is _FROM_DB
        and all(map(is_, _INHERITED(model), _OF_OBJECT))
        and type(model).__call__ is type.__call__
    )


ROUTING = Methods("db_for_read", "db_for_write", owner=ConnectionRouter)


def is_routed() -> bool:
    """Return whether the project decides per instance which database a relation is read from."""
    return bool(router.routers)


# ---- columns ----

#: How the values of a column are prepared for the database.
PREPARING = Methods("get_prep_value", "get_db_prep_value", "to_python", "get_lookup")
COMPARING = Methods("__init__", "as_sql", "get_prep_lookup", "process_lhs", "process_rhs")
_CLASS_LOOKUPS = reached(models.Field, "get_class_lookups")
_LOOKUPS = frozenset(lookup for lookup in vars(lookups).values() if isinstance(lookup, type))


def is_compared_plainly(column: Any, name: str) -> bool:
    """Return whether a lookup of a column is Django's own; projects may register others."""
    is_looked_up_plainly = reached(type(column), "get_class_lookups") is _CLASS_LOOKUPS
    if "instance_lookups" in column.__dict__ or not is_looked_up_plainly:
        return False
    lookup = column.get_class_lookups().get(name)
    is_registered = lookup in _LOOKUPS and lookup.lookup_name == name
    return is_registered and COMPARING.are_of_django(lookup)
