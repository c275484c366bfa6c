"""What is still read one by one while a list is shown: loaded for all, or refused (AUTO_FETCH).

A statement that Django runs for a relation of an object has the descriptor, or the queryset of the
relation, among its callers; there they are found, so nothing of Django is replaced. With "peers"
the first object gets its own statement, and one more loads the relation for all others. With
"raise" the items are read by the plain way, whose frames tell which field is being read.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from django.db import connections
from django.db.models import Model, QuerySet

from lintel.exceptions import LazyRead
from lintel.fast.compiler.loading import Loader
from lintel.fast.compiler.reads import loadable
from lintel.fast.prefetched import PREFETCHED, rows_in
from lintel.settings import PEERS, RAISE, api_settings
from lintel.utils import model_meta

_DESCRIPTORS = "django.db.models.fields.related_descriptors"
_PLAIN_READER = ("lintel.serializers.declared", "plain_representation")

#: Whether a list is being read whose fields an error may have to name.
_named: ContextVar[bool] = ContextVar("lintel_names_fields", default=False)


def names_fields() -> bool:
    return _named.get()


def watched(items: Sequence[object]) -> AbstractContextManager[object]:
    """A context in which the items of a list are read."""
    mode = api_settings.AUTO_FETCH
    if mode not in (PEERS, RAISE) or not items or not isinstance(items[0], Model):
        return nullcontext()
    return _watching(Peers(items).load if mode == PEERS else _refuse)


@contextmanager
def _watching(act: Callable[[Model, str], Callable[[], None]]) -> Iterator[None]:
    is_acting = False
    with ExitStack() as ends:

        def execute(run: Callable[..., Any], sql: Any, params: Any, many: Any, context: Any) -> Any:
            nonlocal is_acting
            if not is_acting:
                is_acting = True
                try:
                    relation = _relation_behind(sys._getframe(1))
                    if relation is not None:
                        ends.callback(act(*relation))
                finally:
                    is_acting = False
            return run(sql, params, many, context)

        for connection in connections.all(initialized_only=True):
            ends.enter_context(connection.execute_wrapper(execute))
        yield


@contextmanager
def naming() -> Iterator[None]:
    token = _named.set(api_settings.AUTO_FETCH == RAISE)
    try:
        yield
    finally:
        _named.reset(token)


# ---- which relation is read ----


def _relation_behind(frame: FrameType | None) -> tuple[Model, str] | None:
    """The object and the relation for which a statement runs; None for any other one."""
    rows: QuerySet[Any] | None = None
    while frame is not None:
        name, module = frame.f_code.co_name, frame.f_globals.get("__name__", "")
        if name == "prefetch_related_objects":
            return None
        if (module, name) == _PLAIN_READER:
            break
        owner: Any = frame.f_locals.get("self")
        # The descriptor of a relation to one calls a queryset, which comes first here.
        if module == _DESCRIPTORS and name == "__get__":
            instance = frame.f_locals.get("instance")
            return (instance, _name_of(owner)) if isinstance(instance, Model) else None
        if rows is None and isinstance(owner, QuerySet) and _instance_of(owner) is not None:
            rows = owner
        frame = frame.f_back
    instance = None if rows is None else _instance_of(rows)
    return None if rows is None or instance is None else (instance, _to_many_name(instance, rows))


def _instance_of(queryset: QuerySet[Any]) -> Model | None:
    instance = vars(queryset)["_hints"].get("instance")
    return instance if isinstance(instance, Model) else None


def _name_of(descriptor: Any) -> str:
    if hasattr(descriptor, "related"):
        return str(descriptor.related.get_accessor_name())
    return str(descriptor.field.name)


def _to_many_name(instance: Model, queryset: QuerySet[Any]) -> str:
    relations = model_meta.known_field_info(type(instance)).relations
    names = [
        name
        for name, relation in relations.items()
        if relation.to_many and issubclass(queryset.model, relation.related_model)
    ]
    if len(names) > 1:
        names = [name for name in names if _is_all_of(instance, name, queryset)] or names
    return names[0] if names else ""


def _is_all_of(instance: Model, name: str, queryset: QuerySet[Any]) -> bool:
    """Whether a queryset is that of a relation, without further conditions."""
    whole = getattr(instance, name).all().query
    return bool(whole.sql_with_params() == queryset.query.sql_with_params())


# ---- "raise" ----


def _refuse(instance: Model, name: str) -> Callable[[], None]:
    way = ".".join(_fields_in(sys._getframe(1)))
    relation = f"{type(instance).__name__}.{name}" if name else type(instance).__name__
    raise LazyRead(
        f"{way or 'A list'} reads {relation} for each object of a list, with a query each. Declare "
        f'it with @reads("{name}") on the method of the field, or load it in the queryset by '
        'select_related() or prefetch_related(). To let it pass, set AUTO_FETCH to "plan".'
    )


def _fields_in(frame: FrameType | None) -> list[str]:
    """The serializer and the fields that are being read, from the outermost."""
    names: list[str] = []
    title = ""
    while frame is not None:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == _PLAIN_READER:
            field_read = frame.f_locals.get("field")
            names.append(str(getattr(field_read, "field_name", "")))
            title = type(frame.f_locals["serializer"]).__name__
        frame = frame.f_back
    return [title, *reversed(names)] if title else []


# ---- "peers" ----


@dataclass(slots=True)
class Peers:
    """The objects of one list, and those that are loaded behind them."""

    items: Sequence[object]
    _done: set[tuple[type[Model], str]] = field(default_factory=set)

    def load(self, instance: Model, name: str) -> Callable[[], None]:
        """Load a relation for all others of a class; return the function that ends it."""
        model = type(instance)
        relation = None if (model, name) in self._done else loadable(model, name)
        self._done.add((model, name))
        if relation is None:
            return _nothing
        loader = Loader(alone=True)
        others = [row for row in self._alike(model) if row is not instance]
        loader.load(others, {name: relation})
        return loader.watched() if loader.filled else _nothing

    def _alike(self, model: type[Model]) -> list[Model]:
        rows: dict[int, Model] = {}
        pending = [item for item in self.items if isinstance(item, Model)]
        while pending:
            row = pending.pop()
            if id(row) not in rows:
                rows[id(row)] = row
                pending += _loaded_from(row)
        return [row for row in rows.values() if type(row) is model]


def _loaded_from(instance: Model) -> Iterable[Model]:
    ones = [value for value in instance._state.fields_cache.values() if isinstance(value, Model)]
    held = vars(instance).get(PREFETCHED) or {}
    many = [rows_in(held, name) for name in held.keys()]  # noqa: SIM118 - its items make querysets
    return [*ones, *(row for rows in many for row in rows if isinstance(row, Model))]


def _nothing() -> None:
    """Do nothing, because nothing was loaded."""
