"""The method QUERY (RFC 10008): reads, as GET does, with what to look for in the body.

A view takes it if it says so: ``query_handler`` names the method that answers, actions map it.
Policies and handlers then see a request that reads: its method is GET, and it is as safe. A method
of a view that happens to be called ``query`` is never called for that name alone.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from lintel.annotations import AnyRequest, AnyView
from lintel.exceptions import ParseError, UnsupportedMediaType, ValidationError
from lintel.response import Response

QUERY = "QUERY"

#: Where a view keeps the name of the method that answers, as long as it answers QUERY.
ANSWERED_BY = "lintel_query_answered_by"

#: The longest address that ``Location`` tells: longer ones are what QUERY is for.
MAX_LOCATION = 2000

#: A value in JSON.
Value: TypeAlias = object


def handler_name(view: AnyView) -> str | None:
    """Return the name of the method of a view that answers QUERY; None if there is none.

    It is ``get`` if the same method answers GET: the body then holds its parameters.
    """
    actions: Mapping[str, str] | None = getattr(view, "action_map", None)
    if actions is not None:
        name = actions.get("query")
        return "get" if name is not None and name == actions.get("get") else name
    name = getattr(view, "query_handler", None)
    if name is None and "query" in view.http_method_names and hasattr(view, "query"):
        return "query"
    return name


def begin_query(view: AnyView, request: AnyRequest) -> None:
    """Let a view that takes QUERY read: a request that is as safe as GET passes for one."""
    name = handler_name(view)
    if name is not None:
        setattr(view, ANSWERED_BY, name)
        request.method = "GET"


def accepted_types(view: AnyView) -> str:
    """Return the value of ``Accept-Query``: a list of media types (RFC 10008, RFC 9651)."""
    return ", ".join(dict.fromkeys(parser.media_type for parser in view.parser_classes))


def read_parameters(view: AnyView, request: AnyRequest) -> None:
    """Take the parameters of GET from the body; those in the URL hold where it has none.

    Raises UnsupportedMediaType without a Content-Type, ParseError, and ValidationError by parameter
    for values that no query string has.
    """
    if not request.content_type:
        raise UnsupportedMediaType("")
    if vars(view)[ANSWERED_BY] != "get":
        return
    values_by_name = dict(_parameters(request.data))
    http: HttpRequest = copy.copy(request._request)
    parameters = http.GET.copy()
    for name, values in values_by_name.items():
        parameters.setlist(name, values)
    parameters._mutable = False
    http.GET = parameters  # type: ignore[assignment]
    try:
        http.META = {**http.META, "QUERY_STRING": parameters.urlencode()}
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise ParseError from error
    request._request = http


def _parameters(data: object) -> Iterator[tuple[str, list[str]]]:
    if not isinstance(data, Mapping):
        message = _("Invalid data. Expected a dictionary, but got {datatype}.")
        raise ParseError(message.format(datatype=type(data).__name__))
    pairs = list(data.lists() if isinstance(data, QueryDict) else data.items())
    most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
    count = sum(len(value) if isinstance(value, list) else 1 for _name, value in pairs)
    if most is not None and count > most:
        message = _("Ensure this field has no more than {max_length} elements.")
        raise ParseError(message.format(max_length=most))
    errors: dict[str, list[str]] = {}
    for name, value in pairs:
        texts = [_text(item) for item in (value if isinstance(value, list) else [value])]
        if any(text is None for text in texts):
            errors[name] = [_("Not a valid string.")]
        else:
            yield name, [text for text in texts if text is not None]
    if errors:
        raise ValidationError(errors, code="invalid")


def _text(value: Value) -> str | None:
    """Return a value as it stands in a query string; None for an object or a list."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        return None
    try:
        text = str(value)
        text.encode()
    except ValueError:  # more digits than Python writes, or half of a surrogate pair
        return None
    return text


def announce_address(view: AnyView, request: AnyRequest, response: object) -> None:
    """Tell where GET gets the same (``Location``, RFC 10008), unless the address is too long."""
    is_found = isinstance(response, Response) and response.status_code == 200
    if not is_found or vars(view).get(ANSWERED_BY) != "get":
        return
    address = request.build_absolute_uri()
    if len(address) <= MAX_LOCATION:
        view.headers.setdefault("Location", address)
