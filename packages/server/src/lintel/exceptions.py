"""Errors that become responses.

Every text of ``detail`` is an :class:`ErrorDetail`: a string that also knows its code.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeAlias

from django.http import HttpRequest, JsonResponse
from django.utils.encoding import force_str
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from lintel import status
from lintel.outages import RETRY_AFTER, takes_for_outage, takes_for_refusal
from lintel.problems.answers import answer_of_status
from lintel.utils.serializer_helpers import ReturnDict, ReturnList

#: A text, or lists and mappings of texts in the shape of the input.
Detail: TypeAlias = Any


class ErrorDetail(str):
    """The text of one error with its machine-readable ``code``.

    Equal to a plain string with the same text; equal to another ErrorDetail only if the codes
    are equal too.
    """

    code: str | None = None

    def __new__(cls, string: str, code: str | None = None) -> ErrorDetail:
        self = super().__new__(cls, string)
        self.code = code
        return self

    def __eq__(self, other: object) -> bool:
        result = super().__eq__(other)
        if result is NotImplemented:
            return NotImplemented
        if isinstance(other, ErrorDetail):
            return result and self.code == other.code
        return result

    def __ne__(self, other: object) -> bool:
        result = self.__eq__(other)
        return result if result is NotImplemented else not result

    def __hash__(self) -> int:
        return hash(str(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(string={str(self)!r}, code={self.code!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.code)


def _get_error_details(data: Detail, default_code: str | None = None) -> Detail:
    """Turn texts at any depth of lists and mappings into ErrorDetail, keeping the shape."""
    if isinstance(data, ErrorDetail):
        return data
    if isinstance(data, list | tuple):
        items = [_get_error_details(item, default_code) for item in data]
        if isinstance(data, ReturnList):
            return ReturnList(items, serializer=data.serializer)
        return items
    if isinstance(data, dict):
        entries = {key: _get_error_details(value, default_code) for key, value in data.items()}
        if isinstance(data, ReturnDict):
            return ReturnDict(entries, serializer=data.serializer)
        return entries
    # A Django error created without a code keeps None, because its kind is unknown.
    return ErrorDetail(force_str(data), getattr(data, "code", default_code))


def _for_each_text(detail: Detail, convert: Callable[[Detail], object]) -> Detail:
    if isinstance(detail, list | tuple):
        return [_for_each_text(item, convert) for item in detail]
    if isinstance(detail, dict):
        return {key: _for_each_text(value, convert) for key, value in detail.items()}
    return convert(detail)


class APIException(Exception):
    """Base of all errors that become a response with ``status_code``.

    ``detail`` may be text, a list or a mapping; ``code`` names the kind of error for programs.
    """

    status_code: int = status.HTTP_500_INTERNAL_SERVER_ERROR
    default_detail: Detail = _("A server error occurred.")
    default_code: str = "error"

    def __init__(self, detail: Detail = None, code: str | None = None) -> None:
        if detail is None:
            detail = self.default_detail
        if code is None:
            code = self.default_code
        self.detail: Detail = _get_error_details(detail, code)

    def __str__(self) -> str:
        return str(self.detail)

    def get_codes(self) -> Detail:
        """Return the code of each text of ``detail``, in the shape of ``detail``."""
        return _for_each_text(self.detail, attrgetter("code"))

    def get_full_details(self) -> Detail:
        """Return ``{"message": ..., "code": ...}`` for each text of ``detail``, in its shape."""
        return _for_each_text(self.detail, lambda text: {"message": text, "code": text.code})


class ValidationError(APIException):
    """Input that breaks a rule. ``detail`` is always a list or a mapping."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_detail: Detail = _("Invalid input.")
    default_code = "invalid"

    def __init__(self, detail: Detail = None, code: str | None = None) -> None:
        if detail is None:
            detail = self.default_detail
        is_text = not isinstance(detail, dict | list | tuple)
        # Not super(): a subclass may have another base with arguments of its own.
        APIException.__init__(self, [detail] if is_text else detail, code)


class ParseError(APIException):
    status_code = status.HTTP_400_BAD_REQUEST
    default_detail: Detail = _("Malformed request.")
    default_code = "parse_error"


class AuthenticationFailed(APIException):
    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail: Detail = _("Incorrect authentication credentials.")
    default_code = "authentication_failed"


class NotAuthenticated(APIException):
    status_code = status.HTTP_401_UNAUTHORIZED
    default_detail: Detail = _("Authentication credentials were not provided.")
    default_code = "not_authenticated"


class PermissionDenied(APIException):
    #: A value of WWW-Authenticate, for what other credentials could do.
    auth_header: str | None = None
    status_code = status.HTTP_403_FORBIDDEN
    default_detail: Detail = _("You do not have permission to perform this action.")
    default_code = "permission_denied"


class NotFound(APIException):
    """There is nothing at this URL, or nothing that the user may see."""

    status_code = status.HTTP_404_NOT_FOUND
    default_detail: Detail = _("Not found.")
    default_code = "not_found"


class MethodNotAllowed(APIException):
    status_code = status.HTTP_405_METHOD_NOT_ALLOWED
    default_detail: Detail = _('Method "{method}" not allowed.')
    default_code = "method_not_allowed"

    def __init__(self, method: str, detail: Detail = None, code: str | None = None) -> None:
        if detail is None:
            detail = force_str(self.default_detail).format(method=method)
        super().__init__(detail, code)


class NotAcceptable(APIException):
    status_code = status.HTTP_406_NOT_ACCEPTABLE
    default_detail: Detail = _("Could not satisfy the request Accept header.")
    default_code = "not_acceptable"

    def __init__(
        self, detail: Detail = None, code: str | None = None, available_renderers: object = None
    ) -> None:
        self.available_renderers = available_renderers
        super().__init__(detail, code)


class LengthRequired(APIException):
    """A body of unknown length that the server cannot read to its end (RFC 9110, 15.5.12)."""

    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_detail: Detail = "Send the length of the body in the header Content-Length."
    default_code = "length_required"


class UnsupportedMediaType(APIException):
    status_code = status.HTTP_415_UNSUPPORTED_MEDIA_TYPE
    default_detail: Detail = _('Unsupported media type "{media_type}" in request.')
    default_code = "unsupported_media_type"

    def __init__(self, media_type: str, detail: Detail = None, code: str | None = None) -> None:
        if detail is None:
            detail = force_str(self.default_detail).format(media_type=media_type)
        super().__init__(detail, code)


class PreconditionFailed(APIException):
    """The resource is in another state than the request states (RFC 9110, 15.5.13)."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = "The object has changed since it was read."
    default_code = "precondition_failed"


class PreconditionRequired(APIException):
    """The request must state which state it refers to (RFC 6585, section 3)."""

    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_detail = "Send the ETag of the object in the If-Match header."
    default_code = "precondition_required"


class Throttled(APIException):
    """Too many requests. ``wait``: seconds until the next one may pass, rounded up.

    ``limit`` is the :class:`lintel.throttling.RateLimit` that refuses, if its throttle reports one.
    """

    limit: Any = None
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_detail: Detail = _("Request was throttled.")
    # Not translated here: ngettext needs the original words.
    extra_detail_singular: str | Promise = "Expected available in {wait} second."
    extra_detail_plural: str | Promise = "Expected available in {wait} seconds."
    default_code = "throttled"

    def __init__(
        self, wait: float | None = None, detail: Detail = None, code: str | None = None
    ) -> None:
        if detail is None:
            detail = force_str(self.default_detail)
        if wait is not None:
            wait = math.ceil(wait)
            singular, plural = str(self.extra_detail_singular), str(self.extra_detail_plural)
            hint = force_str(ngettext(singular, plural, wait)).format(wait=wait)
            detail = f"{force_str(detail)} {hint}"
        self.wait = wait
        super().__init__(detail, code)


class ServiceUnavailable(APIException):
    """Something that the service needs is away. ``wait``: seconds until it may be back."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = "The service is not available at the moment."
    default_code = "service_unavailable"
    wait: int = RETRY_AFTER


def service_error(error: BaseException) -> APIException | None:
    """Return what SERVICE_ERRORS makes of an error of a database, a cache or a disk; or None."""
    if takes_for_outage(error):
        return ServiceUnavailable()
    return PermissionDenied() if takes_for_refusal(error) else None


class LazyRead(RuntimeError):
    """A field reads a relation with a query for each object of a list; see AUTO_FETCH."""


def server_error(request: HttpRequest, *args: object, **kwargs: object) -> JsonResponse:
    """``handler500`` of an API: status 500 as JSON, without details of the failure.

    With SERVICE_ERRORS, 503 if a database or a cache is away.
    """
    error = sys.exc_info()[1]
    if error is not None and takes_for_outage(error):
        body = {"detail": ServiceUnavailable.default_detail}
        response = answer_of_status(request, 503, body)
        response["Retry-After"] = str(RETRY_AFTER)
        return response
    return answer_of_status(request, 500, {"error": "Server Error (500)"})


def bad_request(
    request: HttpRequest, exception: Exception, *args: object, **kwargs: object
) -> JsonResponse:
    """``handler400`` of an API: status 400 as JSON."""
    return answer_of_status(request, 400, {"error": "Bad Request (400)"})


def permission_denied(
    request: HttpRequest, exception: Exception, *args: object, **kwargs: object
) -> JsonResponse:
    """``handler403`` of an API: 403 as JSON, with the message of :class:`PermissionDenied`."""
    return answer_of_status(request, 403, {"detail": PermissionDenied.default_detail})


def not_found(
    request: HttpRequest, exception: Exception, *args: object, **kwargs: object
) -> JsonResponse:
    """``handler404`` of an API: 404 as JSON, with the message of :class:`NotFound`."""
    return answer_of_status(request, 404, {"detail": NotFound.default_detail})
