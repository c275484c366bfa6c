"""The policy that every page of the gallery comes under."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'"


def strict(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Middleware that sends the policy with each response."""

    def answer(request: HttpRequest) -> Any:
        response = get_response(request)
        response["Content-Security-Policy"] = POLICY
        return response

    return answer
