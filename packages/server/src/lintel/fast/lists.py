"""Lists: rows in place of instances, generated code for each item of output and input."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Model, QuerySet

from lintel.fast import tools
from lintel.fast.compiled import (
    Compiled,
    bound,
    chooses_fields,
    live_of,
    makes_fields,
    one_list,
    reading_of,
    selection_of,
    writing_of,
)
from lintel.fast.compiler.describe import has_options_of_whole
from lintel.fast.compiler.plan import conversion
from lintel.fast.compiler.protocols import AnyField, ReadObject, ValidateDict
from lintel.fast.compiler.reading import Reading
from lintel.fast.lazy_reads import names_fields, naming, watched
from lintel.fast.pages import Fetch, LazyPage
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.prefetching import load
from lintel.marks import finder_of, hands_on_rows
from lintel.settings import OFF, PEERS, RAISE, api_settings
from lintel.trust.originals import is_of_django


def read_list(serializer: AnyField, items: object) -> list[object] | Plain:
    child = serializer.child
    if type(items) is LazyPage and items.fetch is not None:
        # Whoever reads the page again may have changed what was examined.
        fetch, items.fetch = items.fetch, None
        return fetch()
    if not hasattr(type(child), "_lintel_state") or names_fields():
        return PLAIN
    compiled = reading_of(child, of_list=True)
    if compiled is None:
        return _read_chosen(child, _loaded(items))
    read_rows = _fetch_of(compiled, child, items) if isinstance(items, QuerySet) else None
    return read_each(child, compiled.reading, items) if read_rows is None else read_rows()


def _read_chosen(child: AnyField, items: Any) -> list[object] | Plain:
    """Read items by fields that the project chose."""
    live = live_of(child)
    if live is not None and live.reading is not None and _loads_nothing(live.reading, items):
        # One of many short lists, inside of another one.
        return [child.to_representation(item) for item in items]
    calls_child = conversion(child, "to_representation") is None
    if live is None and not calls_child and type(items) in (list, tuple) and items:
        makes_fields(child)
    reading = selection_of(child) if live is None else live.reading
    if reading is not None:
        return read_each(child, reading, items, None if live is None else live.read)
    return _read_by_child(child, items) if calls_child else _read_watched(child, items)


def _read_by_child(child: AnyField, items: Any) -> list[object] | Plain:
    """Call the project's ``to_representation()``, after which fields are chosen."""
    if api_settings.AUTO_FETCH in (PEERS, RAISE) or not chooses_fields(child):
        return _read_watched(child, items)
    with one_list():
        return [child.to_representation(item) for item in items]


def _loads_nothing(reading: Reading, items: object) -> bool:
    first = items[0] if type(items) is list and items else None
    is_watched = api_settings.AUTO_FETCH in (PEERS, RAISE)
    if is_watched or not isinstance(first, Model):
        return not items and not is_watched
    return not reading.loading.relations(type(first)).all


def _read_watched(child: AnyField, items: Any) -> list[object] | Plain:
    """Read items by the plain way, but notice relations that are read one by one."""
    if api_settings.AUTO_FETCH not in (PEERS, RAISE):
        return PLAIN
    items = list(items)
    with naming(), watched(items):
        return [child.to_representation(item) for item in items]


def _fetch_of(
    compiled: Compiled, child: AnyField, queryset: QuerySet[Any], page: LazyPage | None = None
) -> Fetch | None:
    is_off = api_settings.READ_FROM_ROWS in OFF
    return None if is_off else compiled.fetching.bind(child, queryset, page)


def read_items(child: AnyField, items: Iterable[object]) -> list[object] | Plain:
    compiled = reading_of(child) if hasattr(type(child), "_lintel_state") else None
    return PLAIN if compiled is None else read_each(child, compiled.reading, items)


def read_each(
    child: AnyField, reading: Reading, items: Any, read_item: ReadObject | None = None
) -> list[object]:
    """Read each item with generated code, with the relations of all items loaded together.

    A child with its own ``to_representation`` is called; if that calls the method of this
    package, it uses what was prepared for the list. ``read_item`` was prepared before.
    """
    items = _loaded(items)
    together = Together(child, reading, items if type(items) in (list, tuple) else (), read_item)
    try:
        if conversion(child, "to_representation") is not None:
            return [together.read(item) for item in items]
        read = child.to_representation
        if reading.selected or "fields" not in child.__dict__:
            child._lintel_read = together
        return [read(item) for item in items]
    finally:
        child.__dict__.pop("_lintel_read", None)
        together.forget()


def _loaded(items: Any) -> Any:
    is_plain = isinstance(items, QuerySet) and is_of_django(type(items).__iter__)
    return load(items) if is_plain else items


class Together:
    """Reads the items of one list; their relations are loaded when the first item is read."""

    def __init__(
        self,
        child: AnyField,
        reading: Reading,
        items: Sequence[Model],
        read_item: ReadObject | None = None,
    ) -> None:
        self._read = bound(reading, child) if read_item is None else read_item
        self.is_chosen: bool = reading.selected
        self._plain = partial(tools.lent.plain, child)
        self._skip = tools.lent.skip
        self._load: Callable[[], Callable[[], None]] | None = partial(reading.loading.load, items)
        self._ends = ExitStack()
        self.forget: Callable[[], None] = self._ends.close
        self._items = items
        if api_settings.AUTO_FETCH == RAISE:
            self._read = self._plain

    def _begin(self, load: Callable[[], Callable[[], None]]) -> None:
        self._ends.callback(load())
        self._ends.enter_context(one_list())
        self._ends.enter_context(naming())
        self._ends.enter_context(watched(self._items))

    def read(self, item: object) -> object:
        if self._load is not None:
            load, self._load = self._load, None
            self._begin(load)
        try:
            return self._read(item)
        except self._skip:
            return self._plain(item)


# ---- input ----

#: Steps before the fields of an item are validated.
_ITEM_STEPS = ("run_validation", "validate_empty_values", "to_internal_value")
#: Steps after it.
_WHOLE_STEPS = ("validate", "run_validators")


@dataclass(frozen=True, slots=True)
class ItemWriter:
    """How the items of a list are validated, and which of their fields look up rows."""

    validate: ValidateDict
    relations: tuple[str, ...]


def item_writer(serializer: AnyField) -> ItemWriter | Plain:
    child = serializer.child
    compiled = writing_of(child)
    if compiled is None:
        return PLAIN
    calls_child = conversion(serializer, "run_child_validation") is not None
    if calls_child and compiled.plan.overridden.isdisjoint(_ITEM_STEPS):
        return ItemWriter(_item_validator(child, compiled), compiled.relations)
    return ItemWriter(serializer.run_child_validation, compiled.relations)


def _item_validator(child: AnyField, compiled: Compiled) -> ValidateDict:
    """``child.run_validation`` without the steps that plain dicts always pass."""
    run_validation, write = child.run_validation, compiled.writing.bind(child)
    if child.read_only:
        return run_validation
    is_checked = child.validators or has_options_of_whole(child)
    if is_checked or not compiled.plan.overridden.isdisjoint(_WHOLE_STEPS):
        held, check_whole = child.__dict__, tools.lent.check_whole

        def validate(item: object) -> object:
            usual = type(item) is dict and "fields" not in held
            return check_whole(child, write(item)) if usual else run_validation(item)

        return validate
    return write


# ---- pages ----


#: The methods of a view that see the rows of a page.
_ROW_METHODS = ("paginate_queryset", "apaginate_queryset", "get_serializer")


def page_finder(view: Any) -> Callable[[QuerySet[Any]], Sequence[object] | None] | Plain:
    """Return what finds a page of rows, if only our code sees these before they are read."""
    if not hands_on_rows(*[getattr(view, name, None) for name in _ROW_METHODS]):
        return PLAIN  # and ``paginate_queryset`` of the project may still choose the paginator
    paginator = view.paginator
    # A method of its own for the event loop may be one of the project.
    if paginator is None or hasattr(paginator, "apaginate_queryset"):
        return PLAIN
    find = finder_of(paginator.paginate_queryset)
    return PLAIN if find is None else partial(find, paginator, request=view.request, view=view)


def page_serializer(view: Any, page: object) -> AnyField | Plain:
    """Return the serializer that ``view.get_serializer(page, many=True)`` makes for a lazy page."""
    if type(page) is not LazyPage:
        return PLAIN
    serializer_class = view.get_serializer_class()
    rows = page if _is_lazy(serializer_class) else page.instances()
    serializer = serializer_class(rows, many=True, context=view.get_serializer_context())
    if rows is page:
        _settle(serializer, page)
    return serializer


def _settle(serializer: AnyField, page: LazyPage) -> None:
    """Decide how a page is read; overrides in the project must see the rows that they expect."""
    child = serializer.child
    is_examined = page.key is not None and isinstance(page.queryset, QuerySet)
    compiled = reading_of(child, of_list=True) if is_examined else None
    page.fetch = None if compiled is None else _fetch_of(compiled, child, page.queryset, page)
    if page.fetch is None:
        # Compiling may be the first use of a class inside, after which templates are made again.
        child.__dict__.pop("_lintel_fields", None)
        serializer.instance = child.instance = page.instances()


def _is_lazy(serializer_class: object) -> bool:
    """Return whether a list of these serializers reads its rows only in ``to_representation``."""
    if not isinstance(serializer_class, type) or not hasattr(serializer_class, "_lintel_state"):
        return False
    return tools.lent.makes_usual_lists(serializer_class)
