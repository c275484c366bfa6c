"""Streams that reach their reader line by line through nginx."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


class UnbufferedStreams(MiddlewareMixin):
    """Tells nginx not to collect a stream before it sends it; clients do not see the header."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if response.streaming:
            response.headers["X-Accel-Buffering"] = "no"
        return response
