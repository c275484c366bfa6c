"""Calls of ``Response`` in the source of handlers."""

import ast
import re
from http import HTTPStatus
from typing import NamedTuple

from django.http import HttpResponse, JsonResponse

from lintel.response import Response
from lintel.schemas.sources import Source

#: A status as an attribute of ``lintel.status``.
_STATUS = re.compile(r"HTTP_(\d\d\d)_")


class ResponseCall(NamedTuple):
    """``media_type``: that of a text which no renderer writes; None for data."""

    data: ast.expr | None
    status: HTTPStatus
    media_type: str | None = None

    @property
    def is_failure(self) -> bool:
        return self.status >= HTTPStatus.MULTIPLE_CHOICES


def response_call(value: ast.expr | None, source: Source) -> ResponseCall | None:
    """Return what a call of ``Response`` says; None if it is none, or its code is not plain."""
    cls = source.meaning(value.func) if isinstance(value, ast.Call) else None
    names = _arguments(cls)
    if not isinstance(value, ast.Call) or names is None:
        return None
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if None in given or any(isinstance(arg, ast.Starred) for arg in value.args):
        return None
    given |= dict(zip(names, value.args, strict=False))
    status = _number(given["status"]) if "status" in given else _status_of(cls)
    if status is None or status < HTTPStatus.OK:
        return None
    if names[0] == "data":
        return ResponseCall(given.get("data"), status)
    return ResponseCall(given.get("content"), status, _media_type(given.get("content_type")))


def _arguments(cls: object) -> tuple[str, ...] | None:
    """The first arguments of a class that writes what it is called with; None for any other.

    One of a project may wrap it.
    """
    if not isinstance(cls, type):
        return None
    if cls is JsonResponse:
        return ("data",)
    if issubclass(cls, Response) and cls.__init__ is Response.__init__:
        return ("data", "status")
    is_text = issubclass(cls, HttpResponse) and cls.__init__ is HttpResponse.__init__
    return ("content", "content_type", "status") if is_text else None


def _status_of(cls: object) -> HTTPStatus | None:
    number = getattr(cls, "status_code", None)
    return HTTPStatus(number) if isinstance(number, int) and number in _NUMBERS else HTTPStatus.OK


_NUMBERS = frozenset(HTTPStatus)


def _media_type(given: ast.expr | None) -> str:
    said = getattr(given, "value", None)
    return said.partition(";")[0].strip() if isinstance(said, str) else "text/html"


def _number(status: ast.expr) -> HTTPStatus | None:
    named = _STATUS.match(name_of(status))
    number = named[1] if named else getattr(status, "value", None)
    if isinstance(status, ast.Attribute) and name_of(status.value) == HTTPStatus.__name__:
        return HTTPStatus.__members__.get(status.attr)
    try:
        return HTTPStatus(int(number)) if isinstance(number, str | int) else None
    except ValueError:
        return None


def name_of(expression: ast.expr) -> str:
    """Return the last part of a dotted name; empty for anything else."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""
