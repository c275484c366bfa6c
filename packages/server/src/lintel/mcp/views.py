"""The view of the Model Context Protocol: streamable HTTP, one JSON message for each request."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse

from lintel import exceptions
from lintel.mcp.calling import Local
from lintel.mcp.catalog import Catalog
from lintel.mcp.metadata import challenge
from lintel.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Fault,
    Reply,
    failure,
    reply_to,
)
from lintel.mcp.streams import Limits
from lintel.permissions import IsAuthenticated
from lintel.renderers import JSONRenderer
from lintel.request import Request
from lintel.settings import api_settings
from lintel.views import APIView
from lintel_document.agents.answers import MAX_ANSWER
from lintel_document.agents.operations import Selection
from lintel_document.agents.toolset import Toolset

logger = logging.getLogger(__name__)

MAX_BODY = 1024 * 1024


# The operations that a caller may see, as tools for an agent. Calls go through the middleware and
# the views of the project with the caller's own headers, so that its rules hold; throttles count
# such a call once, as a request to its view. A comment, because a docstring would be shown.
class MCPView(APIView):
    schema = None
    _ignore_model_permissions = True
    http_method_names = ("post",)
    renderer_classes: Sequence[Any] = (JSONRenderer,)
    parser_classes: Sequence[Any] = ()

    #: Whether operations that write are offered; None for the setting MCP_ALLOW_WRITE.
    allow_write: bool | None = None
    #: Patterns of the operations to offer, and of those not to.
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    #: The most characters of an answer, and bytes of a message.
    max_answer: int = MAX_ANSWER
    max_body: int = MAX_BODY
    #: How much of a stream is returned.
    stream_limits: Limits = Limits()
    #: What agents are told the API is called; None for the setting API_TITLE.
    title: str | None = None

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """Return the view; transactions are those of the requests inside."""
        return transaction.non_atomic_requests(super().as_view(**initkwargs))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse pages of other origins before anything else."""
        check_origin(request._request)
        super().initial(request, *args, **kwargs)

    def get_permissions(self) -> list[Any]:
        """Ask for a token first where servers issue them."""
        result = super().get_permissions()
        return [IsAuthenticated(), *result] if api_settings.MCP_AUTHORIZATION_SERVERS else result

    def get_authenticate_header(self, request: Request) -> str | None:
        """Say where callers learn who issues tokens (RFC 9728, 5.1), if the settings do."""
        return challenge(request._request) or super().get_authenticate_header(request)

    def check_throttles(self, request: Request) -> None:
        """Count nothing yet: a call of an operation is counted by its own view."""

    def post(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer one message."""
        reply = replied(self, request, super().check_throttles)
        if reply.content is None:
            return HttpResponse(status=reply.status)
        return JsonResponse(reply.content, status=reply.status)


def replied(view: MCPView, request: Request, count: Callable[[Request], None]) -> Reply:
    """Reply to the message in a request; ``count`` asks the throttles."""
    outer = request._request
    try:
        message = message_in(outer, view.max_body)
    except Fault as fault:
        count(request)
        return failure(fault)
    caller = Caller(view, request)
    try:
        is_call = leads_to_operation(message, caller)
        if not is_call:
            count(request)
        reply = reply_to(message, outer.headers, lambda: caller.toolset, caller.title)
        if is_call and not caller.source.has_asked:
            count(request)  # the arguments did not fit, and no view has counted the call
        return reply
    except exceptions.APIException:
        raise
    except RecursionError:
        return failure(Fault(INVALID_REQUEST, "The message is nested too deeply"))
    except Exception:
        logger.exception("A message of the Model Context Protocol could not be answered.")
        number = message.get("id") if isinstance(message, Mapping) else None
        return failure(Fault(INTERNAL_ERROR, "Internal error"), number)


def message_in(request: HttpRequest, limit: int) -> object:
    """Read the message in the body of a request. Raises Fault if there is none."""
    if request.content_type != "application/json":
        raise Fault(INVALID_REQUEST, "The body must be application/json")
    content = request.read(limit + 1)
    if len(content) > limit:
        raise Fault(INVALID_REQUEST, f"The body is larger than {limit} bytes")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise Fault(PARSE_ERROR, "The body is not JSON") from None


class Caller:
    """Who sends a message, and the tools for them, made on first use."""

    def __init__(self, view: MCPView, request: Request) -> None:
        self.view, self.request = view, request
        self.title = str(view.title or api_settings.API_TITLE or request._request.get_host())

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(self.request, self.title)

    @cached_property
    def source(self) -> Local:
        view = self.view
        return Local(self.catalog, self.request, self.title, view.max_answer, view.stream_limits)

    @cached_property
    def toolset(self) -> Toolset:
        view = self.view
        writes = api_settings.MCP_ALLOW_WRITE if view.allow_write is None else view.allow_write
        selection = Selection(bool(writes), view.include, view.exclude)
        return Toolset(self.source, self.catalog.operations, selection, view.max_answer)


def leads_to_operation(message: object, caller: Caller) -> bool:
    """Whether a message calls an operation, whose view then asks the throttles."""
    if not isinstance(message, Mapping) or message.get("method") != "tools/call":
        return False
    params = message.get("params")
    name = params.get("name") if isinstance(params, Mapping) else None
    given = params.get("arguments") if isinstance(params, Mapping) else None
    arguments = given if isinstance(given, Mapping) else {}
    return isinstance(name, str) and caller.toolset.operation(name, arguments) is not None


def check_origin(request: HttpRequest) -> None:
    """Raise PermissionDenied for a page of another origin, also under a name of this host."""
    origin = request.headers.get("Origin")
    if origin is None:
        request.get_host()
        return
    scheme = "https" if request.is_secure() else "http"
    here = f"{scheme}://{request.get_host()}".lower()
    if origin.lower() != here and origin not in api_settings.MCP_ORIGINS:
        logger.warning("A page of %.100r was refused: MCP_ORIGINS does not list it.", origin)
        raise exceptions.PermissionDenied()


view = MCPView.as_view()
