"""A system check: the order of cursors names columns that the rows of a view have."""

from collections.abc import Iterator, Sequence

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, Warning, register
from django.core.exceptions import FieldError
from django.db.models import QuerySet

from lintel.annotations import AnyView
from lintel.checks import option_of, routed_views
from lintel.pagination.keysets import Keyset


@register(Tags.compatibility)
def orders_check(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Warn about views whose rows lack a column of the order of their cursors."""
    views = {view.cls: view for view in routed_views()}
    return [message for view in views.values() for message in _lost_columns(view)]


def _lost_columns(view: AnyView) -> Iterator[CheckMessage]:
    style, rows = option_of(view, "pagination_class", None), option_of(view, "queryset", None)
    if not _is_ordered(style) or not isinstance(rows, QuerySet) or _orders_itself(view.cls):
        return
    try:
        Keyset(rows.all(), [style.ordering] if isinstance(style.ordering, str) else style.ordering)
    except FieldError as error:
        yield Warning(
            f"Cursors of {style.__qualname__} are in the order {style.ordering!r}, which "
            f"{rows.model.__name__} does not have: {error}",
            hint="Set pagination_class on the view to a subclass with an ordering of its own, or "
            "add the column to the model. Until then, the list is a server error.",
            obj=view.cls,
            id="lintel.W032",
        )
    except Exception:  # code of the project, such as rows that need a tenant to be chosen first
        return


def _is_ordered(style: object) -> bool:
    """Tell whether something is a style with cursors, in an order that its class names."""
    return (
        isinstance(style, type)
        and hasattr(style, "cursor_query_param")
        and isinstance(getattr(style, "ordering", None), str | list | tuple)
    )


def _orders_itself(view: AnyView) -> bool:
    # A queryset that the project makes for each request may have annotations.
    method = getattr(view, "get_queryset", None)
    is_own = getattr(method, "__module__", None) != "lintel.generics"
    return is_own or not hasattr(view, "list") or bool(getattr(view, "ordering", None))
