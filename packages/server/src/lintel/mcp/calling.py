"""Calls the views of a project in process, and makes answers for agents of their responses."""

import base64
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import responses
from threading import Lock
from typing import Any, cast

from django.core.handlers.base import BaseHandler
from django.core.signals import setting_changed
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import get_urlconf, set_urlconf
from django.utils.http import parse_header_parameters

from lintel.mcp.catalog import Catalog
from lintel.mcp.requests import Misfit, request_for
from lintel.mcp.streams import Limits, beginning, items_of, value_of
from lintel.request import Request
from lintel_document.agents.answers import Answer, error, fits, part_of, text_of, without_secrets
from lintel_document.agents.inputs import CURSOR, Inputs
from lintel_document.agents.messages import pointed, written
from lintel_document.agents.operations import Operation
from lintel_document.agents.toolset import Described
from lintel_document.pointers import pointer_of

logger = logging.getLogger(__name__)

#: The largest response of which an agent gets parts.
MAX_RESPONSE = 16 * 1024 * 1024
_LONGEST_CURSOR = 9


class InProcess(BaseHandler):
    """Django's handler with the project's middleware, for requests that come from no socket."""

    def __init__(self) -> None:
        self.lock = Lock()

    def respond(self, request: HttpRequest) -> HttpResponseBase:
        """Ask the project. Errors are responses, as on the network."""
        with self.lock:
            if "_middleware_chain" not in self.__dict__:
                self.load_middleware()
        before = get_urlconf()
        try:
            return self.get_response(request)
        finally:
            set_urlconf(before)

    def forget(self, *args: object, **kwargs: object) -> None:
        """Load the middleware anew where a test has changed it."""
        if kwargs.get("setting") == "MIDDLEWARE":
            self.__dict__.pop("_middleware_chain", None)


HANDLER = InProcess()
setting_changed.connect(HANDLER.forget)


class Local:
    """The operations of a catalog, called through the project's own middleware and views."""

    write_option = "the setting MCP_ALLOW_WRITE"

    def __init__(
        self, catalog: Catalog, outer: Request, title: str, budget: int, limits: Limits
    ) -> None:
        self.title, self.catalog, self.outer = title, catalog, outer
        self.budget, self.limits = budget, limits
        #: Whether a view has been asked, whose throttles have counted.
        self.has_asked = False

    def describe(self, operations: Sequence[Operation]) -> list[Described]:
        """Describe operations as their views do to this caller."""
        limits = self.limits
        note = f"If it streams, its first items within {limits.seconds} seconds are returned."
        return self.catalog.describe(operations, note)

    def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """Call an operation; one that reads is called again to continue an answer."""
        described = self.describe([operation])[0]
        inputs = Inputs(described.link)
        given = dict(arguments)
        cursor = str(given.pop(inputs.cursor, None) or 0)
        if not (cursor.isascii() and cursor.isdecimal()) or len(cursor) > _LONGEST_CURSOR:
            return error(f"The {inputs.cursor} is not from an answer", f"/{inputs.cursor}")
        if cursor != "0" and not operation.is_safe:
            return error("Calling again would write again: what was cut cannot be continued")
        endpoint = self.catalog.endpoint(operation)
        try:
            request = request_for(self.outer, described.link, endpoint, given)
        except Misfit as misfit:
            errors = [(pointer_of([name]), text) for name, text in misfit.errors.items()]
            return Answer(written({"title": str(misfit)}, errors), is_error=True)
        self.has_asked = True
        response = HANDLER.respond(request)
        hand_on_session(request, self.outer._request)
        try:
            return self.answer(response, described, inputs, operation.is_safe, int(cursor))
        except RecursionError:
            return error("The response is nested too deeply")
        finally:
            close(response)

    def following(self, cursor: str) -> Answer:
        """Refuse: a call is continued with its key and its arguments."""
        return error(f"The {CURSOR} needs the key and the arguments of the call", "/key")

    def hidden(self, text: str) -> str:
        """Hide nothing: no credentials are added here that an answer could repeat."""
        return text

    def answer(
        self,
        response: HttpResponseBase,
        described: Described,
        inputs: Inputs,
        is_safe: bool,
        start: int,
    ) -> Answer:
        """Make an answer of a response, or of its part from a position on."""
        try:
            data, note = result_of(response, self.limits)
        except ValueError as failure:
            return error(str(failure))
        if response.status_code >= 300:
            return refusal(response, data, inputs)
        data = without_secrets(data)
        text = text_of(data)
        if start or not fits(text, self.budget):
            again = str if is_safe else None
            return part_of(text, min(start, len(text)), self.budget, inputs.cursor, again)
        return Answer(text, note, structured=described.outputs.structured(data))


def hand_on_session(inner: HttpRequest, outer: HttpRequest) -> None:
    """Let the outer request end with the session that a call has changed, not with an older one."""
    session: Any = getattr(inner, "session", None)
    older: Any = getattr(outer, "session", None)
    if session is None or older is None or not getattr(session, "modified", False):
        return
    newer = type(session)(session.session_key)
    # A new key, such as that of a login, is told to the caller.
    newer.modified = older.modified or session.session_key not in (None, older.session_key)
    newer.accessed = older.accessed
    outer.session = newer


def result_of(response: HttpResponseBase, limits: Limits) -> tuple[Any, str]:
    """Read a response as plain data, and a note on it.

    Raises ValueError for one that is too large.
    """
    content, is_whole = content_of(response, limits)
    content_type = response.headers.get("Content-Type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    items = items_of(content, media_type) if response.streaming else None
    if items is not None:
        shown = items[: limits.items]
        whole = is_whole and shown == items
        return shown, "" if whole else f"The first {len(shown)} items of a stream."
    if not is_whole:
        raise ValueError("The response is too large, or takes too long")
    return _decoded(content, media_type, response), ""


def content_of(response: HttpResponseBase, limits: Limits) -> tuple[bytes, bool]:
    """The beginning of a response's content, and whether it is all."""
    if response.streaming:
        return beginning(cast("StreamingHttpResponse", response), limits)
    content = cast("HttpResponse", response).content
    return content, len(content) <= MAX_RESPONSE


def _decoded(content: bytes, media_type: str, response: HttpResponseBase) -> Any:
    if not content:
        return None
    if media_type.endswith(("/json", "+json")):
        with suppress(ValueError, RecursionError):
            return value_of(content)
    if media_type.startswith("text/") or media_type.endswith(("/json", "+json")):
        return _text(content, getattr(response, "charset", None))
    disposition = response.headers.get("Content-Disposition", "")
    return {
        "name": parse_header_parameters(disposition)[1].get("filename", ""),  # RFC 6266
        "content_type": media_type,
        "size": len(content),
        "base64": base64.b64encode(content).decode(),
    }


def _text(content: bytes, charset: str | None) -> str:
    with suppress(LookupError):
        return content.decode(charset or "utf-8", "replace")
    return content.decode("utf-8", "replace")


def refusal(response: HttpResponseBase, data: Any, inputs: Inputs) -> Answer:
    """Write a response that is no success as an error: a status, messages with pointers."""
    status = response.status_code
    head: dict[str, Any] = {"status": status, "title": responses.get(status, "Error")}
    if status < 400:
        head["title"] = f"The API redirects to {response.headers.get('Location', '')[:500]}"
    retry = response.headers.get("Retry-After", "")
    if retry.isdecimal():
        head["retry_after"] = int(retry)
    if isinstance(data, Mapping) and isinstance(data.get("code"), str):
        head["code"] = data["code"]
    body = {"messages": data} if isinstance(data, list) else data
    tells = isinstance(body, Mapping) and status >= 400
    errors = pointed(_told(body), inputs) if tells else ()
    return Answer(written(head, errors), is_error=True)


def _told(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out of an error what its head says already."""
    is_problem = "status" in body and "title" in body
    beside = ("type", "title", "status", "code", "instance") if is_problem else ()
    return {name: value for name, value in body.items() if name not in beside}


def close(response: HttpResponseBase) -> None:
    """Release what a response holds, without Django's signal that the outer request has ended."""
    for closer in response._resource_closers:  # type: ignore[attr-defined]
        try:
            closer()
        except Exception:
            logger.exception("A response could not be closed.")
    response.closed = True
