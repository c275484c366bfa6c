"""Calls of ``Response`` in the source of handlers."""

import ast
import re
from http import HTTPStatus
from typing import NamedTuple

from django.http import JsonResponse

from lintel.response import Response
from lintel.schemas.sources import Source

#: A status as an attribute of ``lintel.status``.
_STATUS = re.compile(r"HTTP_(\d\d\d)_")


class ResponseCall(NamedTuple):
    data: ast.expr | None
    status: HTTPStatus

    @property
    def is_failure(self) -> bool:
        return self.status >= HTTPStatus.MULTIPLE_CHOICES


def response_call(value: ast.expr | None, source: Source) -> ResponseCall | None:
    """Return what a call of ``Response`` says; None if it is none, or its code is not plain."""
    if not isinstance(value, ast.Call) or not _is_response(source.meaning(value.func)):
        return None
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if None in given or any(isinstance(arg, ast.Starred) for arg in value.args):
        return None
    by_place = ("data",) if source.meaning(value.func) is JsonResponse else ("data", "status")
    given |= dict(zip(by_place, value.args, strict=False))
    status = _number(given["status"]) if "status" in given else HTTPStatus.OK
    if status is None or status < HTTPStatus.OK:
        return None
    return ResponseCall(given.get("data"), status)


def _is_response(cls: object) -> bool:
    """Say whether a class writes what it is called with; one of a project may wrap it."""
    if cls is JsonResponse:
        return True
    return isinstance(cls, type) and issubclass(cls, Response) and cls.__init__ is Response.__init__


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
