"""Problem details as responses: the body and content type that a request's renderer allows."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.cache import patch_vary_headers

from lintel.annotations import AnyRequest, AnyView
from lintel.problems.bodies import problem_body, problem_of_status, takes_problems
from lintel.problems.catalogue import PROBLEM_MEDIA_TYPE, is_json, is_page
from lintel.settings import BOTH, api_settings


def put_problem(response: Any, exc: Exception, context: Mapping[str, object]) -> None:
    """Make problem details the data of a response to an exception, if they are wanted.

    JSON renderers then send ``application/problem+json``, pages are unchanged, and all
    other renderers write the members of the problem in their own media type.
    """
    request = context.get("request")
    if api_settings.ERROR_FORMAT == BOTH:
        response["Vary"] = "Accept"
    if not takes_problems(request):
        return
    media_type = _media_type_of(context.get("view"), request)
    if is_page(media_type):
        return
    response.data = problem_body(exc, request)
    if is_json(media_type):
        response.content_type = PROBLEM_MEDIA_TYPE


def _media_type_of(view: AnyView, request: AnyRequest) -> str:
    renderer = getattr(request, "accepted_renderer", None)
    if renderer is None and view is not None and request is not None:
        renderer, media_type = view.perform_content_negotiation(request, force=True)
        request.accepted_renderer, request.accepted_media_type = renderer, media_type
    return str(getattr(renderer, "media_type", None) or "application/json")


def answer_of_status(
    request: HttpRequest, status: int, plain: Mapping[str, object]
) -> JsonResponse:
    """Return the response to a failure outside of any API view; ``plain`` is its "drf" body."""
    if takes_problems(request):
        body = problem_of_status(status, request)
        response = JsonResponse(body, status=status, content_type=PROBLEM_MEDIA_TYPE)
    else:
        response = JsonResponse(plain, status=status)
    if api_settings.ERROR_FORMAT == BOTH:
        patch_vary_headers(response, ["Accept"])
    return response
