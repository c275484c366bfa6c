"""Input keys without a field: ignored, or rejected with ``Meta.extra = "forbid"``."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from lintel.exceptions import ErrorDetail
from lintel.fields import Field
from lintel.reports import REPORT
from lintel.serializers.types import Errors, Fields
from lintel.settings import api_settings
from lintel.utils import html

CODE = "unknown"
MESSAGE = _("This field is not known.")
MESSAGE_FOR_MORE = _("{count} more fields are not known.")

#: The most unknown keys that are named; further ones are only counted.
MAX_NAMED = 100
#: Longer keys are only counted, so that an error is never much longer than the input.
MAX_KEY_LENGTH = 200

# Keys that Django's forms add to the input.
_OF_FORMS = frozenset({"csrfmiddlewaretoken"})

IGNORE, FORBID = "ignore", "forbid"
_CHOICES = (IGNORE, FORBID, REPORT)


def forbids_unknown(serializer: Any) -> bool:
    return _extra_of(serializer) == FORBID


def notices_unknown(serializer: Any) -> bool:
    """Return whether unknown keys are looked for: to refuse or to report them."""
    return _extra_of(serializer) != IGNORE


def _extra_of(serializer: Any) -> str:
    """Return what happens to unknown keys. Raises ImproperlyConfigured for a wrong option.

    The nearest serializer with a ``Meta.extra`` decides, from this one outwards, then EXTRA_INPUT.
    """
    owner = serializer
    while owner is not None:
        extra = getattr(getattr(owner, "Meta", None), "extra", None)
        if isinstance(extra, str):
            return _checked(extra, f"{type(owner).__name__}.Meta.extra")
        owner = owner.parent
    return _checked(api_settings.EXTRA_INPUT, "The setting EXTRA_INPUT")


def _checked(extra: Any, place: str) -> str:
    if extra not in _CHOICES:
        raise ImproperlyConfigured(
            f'{place} is {extra!r}: use "ignore" to pass unknown keys over, "report" to log them, '
            'or "forbid" to refuse them.'
        )
    return str(extra)


def known_names(fields: Fields) -> frozenset[str]:
    return frozenset(name for name, field in fields.items() if field.is_exchanged)


def unknown_keys(data: Mapping[str, object], fields: Fields) -> list[str]:
    names = known_names(fields)
    if not html.is_html_input(data):
        return [key for key in data if key not in names]
    containers = {name for name in names if _is_container(fields[name])}
    return [
        key
        for key in data
        if key not in names and key not in _OF_FORMS and _head(key) not in containers
    ]


def _is_container(field: object) -> bool:
    return hasattr(field, "child") or hasattr(field, "_declared_fields")


def _head(key: str) -> str:
    return key.partition(".")[0].partition("[")[0]


def add_unknown(serializer: Field, keys: Iterable[object], errors: Errors) -> None:
    """Add an error per key; beyond MAX_NAMED keys one error gives the number of the others."""
    keys = list(keys)
    named = [key for key in keys[:MAX_NAMED] if type(key) is str and len(key) <= MAX_KEY_LENGTH]
    message = serializer.error_messages.get(CODE, MESSAGE)
    for key in named:
        errors[key] = [ErrorDetail(message, code=CODE)]
    if len(keys) > len(named):
        more = MESSAGE_FOR_MORE.format(count=len(keys) - len(named))
        whole = errors.setdefault(api_settings.NON_FIELD_ERRORS_KEY, [])
        errors[api_settings.NON_FIELD_ERRORS_KEY] = [*whole, ErrorDetail(more, code=CODE)]
