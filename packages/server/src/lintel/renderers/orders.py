"""The orders that the columns of a table offer, by the filter that reads them from the query."""

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models.constants import LOOKUP_SEP

from lintel.cycle.steps import complete
from lintel.renderers.data import View
from lintel.renderers.filter_controls import address_with
from lintel.renderers.forms.disclosure import queryset_here
from lintel.request import Request


class Order(NamedTuple):
    """Where a column leads that orders rows, and its present direction, a word of aria-sort."""

    address: str
    direction: str | None


def orders_of(view: View, request: Request, fields: Mapping[object, object]) -> dict[object, Order]:
    """Give the orders of columns by the keys of their fields; columns without one are absent."""
    backend = _ordering_backend(view)
    if backend is None or not hasattr(view, "get_queryset"):
        return {}
    try:
        return _orders_by(backend, view, request, fields)
    except Exception:
        # Code of the project that was never asked about columns must not break a page.
        return {}


def _orders_by(
    backend: Any, view: View, request: Request, fields: Mapping[object, object]
) -> dict[object, Order]:
    queryset = queryset_here(view)
    if queryset is None:
        return {}
    sources = {key: _sources(key, field) for key, field in fields.items()}
    asked = [source for names in sources.values() for source in names]
    allowed = set(backend.remove_invalid_fields(queryset, asked, view, request))
    orders = {key: next((s for s in names if s in allowed), None) for key, names in sources.items()}
    parameter = backend.ordering_param
    current = _requested(request, parameter, allowed)
    if current is None:
        current = _first(complete(backend.get_ordering(request, queryset, view)))
    return {
        key: _order(parameter, name, current, view, request) for key, name in orders.items() if name
    }


def _ordering_backend(view: View) -> Any:
    wanted = ("ordering_param", "get_ordering", "remove_invalid_fields")
    for backend_class in getattr(view, "filter_backends", ()):
        if all(hasattr(backend_class, name) for name in wanted):
            return backend_class()
    return None


def _sources(key: object, field: object) -> tuple[str, ...]:
    """The names that an order of a column may have: that of its values in the model, or its own."""
    name = str(key)
    source = str(getattr(field, "source", None) or name).replace(".", LOOKUP_SEP)
    return (name,) if source in ("*", name) else (source, name)


def _requested(request: Request, parameter: str, allowed: Container[str]) -> str | None:
    """The first order in the query that columns offer, whatever it is called in the database."""
    names = map(str.strip, request.query_params.get(parameter, "").split(","))
    return next((name for name in names if name.removeprefix("-") in allowed), None)


def _first(ordering: str | Iterable[object] | None) -> str:
    names = [ordering] if isinstance(ordering, str) else list(ordering or ())
    return names[0] if names and isinstance(names[0], str) else ""


def _order(parameter: str, name: str, current: str, view: View, request: Request) -> Order:
    direction = {name: "ascending", f"-{name}": "descending"}.get(current)
    following = f"-{name}" if direction == "ascending" else name
    return Order(address_with(view, request, parameter, following), direction)
