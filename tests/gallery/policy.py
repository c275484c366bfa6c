"""The Content Security Policy of the gallery's pages."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'"
)


def strict(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that sends the policy, except with a project's own pages, which have scripts."""

    def answer(request: HttpRequest) -> Any:
        response = get_response(request)
        if not request.path.startswith("/own/"):
            response["Content-Security-Policy"] = POLICY
        return response

    return answer
