"""What the source of a handler shows of its failures: those that it writes by hand.

``return Response({"error": "no such unit"}, status=404)`` has another body than what lintel
writes if a view raises ``NotFound``, and clients meet both. So has ``HttpResponseForbidden("no")``.
"""

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import FunctionType

from lintel.annotations import AnyView
from lintel.fields.describing import Schema
from lintel.schemas.handlers import code_of
from lintel.schemas.inspection import Endpoint
from lintel.schemas.response_calls import ResponseCall, response_call
from lintel.schemas.returned import keys_of, kind_of, names_responses, object_of
from lintel.schemas.sources import Source, source_of
from lintel.schemas.wrapping import may_change_responses


@dataclass
class Failure:
    """The bodies of a status, the media types of texts, and whether it has bodies of any kind."""

    bodies: list[Schema] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    is_open: bool = False

    def add(self, call: ResponseCall, statement: ast.Return, source: Source) -> None:
        if call.data is None:
            return
        if call.media_type is not None:
            self.texts.append(call.media_type)
            return
        bodies = _body(call.data, statement, source)
        self.bodies += [body for body in bodies if body not in self.bodies]
        self.is_open |= not bodies


Failures = Mapping[HTTPStatus, Failure]


def failures_of(endpoint: Endpoint) -> Failures:
    """What the handler of an endpoint writes by hand, if a project has written it."""
    function = endpoint.handler
    if function is None or not names_responses(code_of(function)):
        return {}
    key = failures_of, type(endpoint.view), function
    return endpoint.inspection.once(key, _failures_in, endpoint.view, function)


def _failures_in(view: AnyView, function: FunctionType) -> Failures:
    source = source_of(inspect.unwrap(function))
    result: dict[HTTPStatus, Failure] = {}
    if source is None or may_change_responses(view, function):
        return result
    for statement in source.returns:
        call = response_call(statement.value, source)
        if call is not None and call.status >= HTTPStatus.BAD_REQUEST:
            result.setdefault(call.status, Failure()).add(call, statement, source)
    return result


def _body(data: ast.expr | None, statement: ast.Return, source: Source) -> list[Schema]:
    """The schema of a body that is written as it stands; none for any other."""
    if isinstance(data, ast.Name):
        data = source.value_before(statement, data.id)
    if isinstance(data, ast.Dict):
        keys = keys_of(data)
        return [] if keys is None else [object_of(keys)]
    kind = None if data is None else kind_of(data)
    return [{"type": kind}] if kind else []
