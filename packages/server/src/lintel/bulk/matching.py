"""Which rows the items of a request are about."""

from collections.abc import Iterable, Mapping, Sequence

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404

from lintel.annotations import AnyView, Instance
from lintel.bulk.batches import Item
from lintel.cycle.steps import called
from lintel.exceptions import APIException, NotFound, PermissionDenied, ValidationError
from lintel.serializers import Serializer
from lintel.serializers.item_keys import KeyOfItems
from lintel.serializers.storing import ModelClass, Rows
from lintel.settings import api_settings

#: Keys in one query.
CHUNK_SIZE = 500


def key_of_view(
    view: AnyView, model: ModelClass, database: str, serializer: Instance
) -> KeyOfItems:
    """Return the key of the items of a view. Raises ImproperlyConfigured for an unknown field."""
    lookup = getattr(view, "bulk_lookup_field", None) or view.lookup_field
    return KeyOfItems(lookup, model, database, serializer)


def match(view: AnyView, rows: Rows, key: KeyOfItems, items: Sequence[Item]) -> None:
    """Give each item its row. Items without one, or with one of an earlier item, get an error."""
    wanted: list[tuple[Item, object, object]] = []
    for item in items:
        try:
            if not isinstance(item.sent, Mapping):
                raise _no_object(item.sent)
            wanted.append((item, *key.value_in(item.sent)))
        except ValidationError as error:
            item.error = error
    by_key = _rows_by_key(rows, key, [value for *_, value in wanted if value is not None])
    seen: set[object] = set()
    for item, sent, value in wanted:
        if value not in by_key:
            item.error = key.missing(sent)
        elif value in seen:
            item.error = key.repeated()
        else:
            item.instance = by_key[value]
            item.error = refused(view, "check_object_permissions", item.instance)
            if isinstance(item.error, NotFound):  # a permission hides the row
                item.error = key.missing(sent)
        seen.add(value)


def _no_object(sent: object) -> ValidationError:
    text = Serializer.default_error_messages["invalid"].format(datatype=type(sent).__name__)
    return ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [text]}, code="invalid")


def _rows_by_key(rows: Rows, key: KeyOfItems, values: Iterable[object]) -> dict[object, Instance]:
    wanted = list(dict.fromkeys(values))
    result: dict[object, Instance] = {}
    for start in range(0, len(wanted), CHUNK_SIZE):
        chosen = rows.filter(**{f"{key.lookup}__in": wanted[start : start + CHUNK_SIZE]})
        result.update((getattr(row, key.column.attname), row) for row in chosen)
    return result


def refused(view: AnyView, check: str, about: object) -> APIException | None:
    """Return the error of a check of permissions: of a row, or of the values of a new one."""
    try:
        called(view, check, view.request, about)
    except APIException as error:
        return error
    except DjangoPermissionDenied as error:
        return PermissionDenied(*error.args)
    except Http404:
        return NotFound()
    return None
