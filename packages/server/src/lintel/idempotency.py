"""Writes that are carried out once, however often they are sent: ``Idempotency-Key``.

After the IETF draft "The Idempotency-Key HTTP Header Field". The first response to a key is kept
in Django's cache and sent again. Keys belong to the user, the method and the URL that they were
sent with, so that nobody gets another user's response.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.utils.datastructures import MultiValueDict

from lintel import status
from lintel.cycle.steps import complete
from lintel.cycle.wrapping import WrappingMixin, wrap_handler
from lintel.exceptions import APIException
from lintel.provenance import name_of_class
from lintel.request import Request, credentials_of
from lintel.response import Response
from lintel.settings import SettingDefault
from lintel.throttling.base import BaseThrottle

#: The header of a repeated response.
REPLAYED = "Idempotent-Replayed"

#: A key, bare or as a string of structured fields (RFC 9651, 3.3.3).
_KEY = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])+)"|([!#-~](?:[ -~]*[!-~])?)')
_MAX_LENGTH = 255

#: Statuses that do not settle the write, beside all from 500 on: it may be tried again.
_PASSING = frozenset([401, 408, 425, 429])

#: Exceptions that become a response of the service, not of Django.
_ANSWERED = (APIException, Http404, PermissionDenied)


class IdempotencyKeyError(APIException):
    """The request lacks a required key, or has an invalid one."""

    status_code = status.HTTP_400_BAD_REQUEST
    default_detail = "The Idempotency-Key must be 1 to 255 visible ASCII characters."
    default_code = "idempotency_key_invalid"


class IdempotencyKeyInUse(APIException):
    """A request with this key is in progress."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = "A request with this Idempotency-Key is being carried out."
    default_code = "idempotency_key_in_use"
    #: Seconds until a retry is worthwhile.
    wait = 1


class IdempotencyKeyReused(APIException):
    """The key was used before with another body."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail = "This Idempotency-Key was sent with another body before."
    default_code = "idempotency_key_reused"


class IdempotentMixin(WrappingMixin):
    """Carries out a write with an ``Idempotency-Key`` once; put it before the base class.

    The same key with the same body gets the first response again, including client errors;
    with another body it raises IdempotencyKeyReused (422). While the first request is in progress,
    others raise IdempotencyKeyInUse (409). Responses from 500 on are not kept.
    """

    #: The methods that keys apply to.
    idempotency_methods: Any = ("POST", "PATCH")

    #: Whether these methods raise IdempotencyKeyError (400) without a key.
    idempotency_key_required: bool = False

    #: Seconds for which responses are kept.
    idempotency_seconds: Any = SettingDefault("IDEMPOTENCY_SECONDS")

    #: Seconds that a request may take; after that its process is assumed dead.
    idempotency_lock_seconds: Any = 60

    #: The alias of the cache, which all processes must share.
    idempotency_cache: Any = SettingDefault("IDEMPOTENCY_CACHE")

    def get_idempotency_scope(self, request: Request) -> Any:
        """Return the owner of a key: the user; for anonymous users, session and address."""
        return _scope_of(request)

    @staticmethod
    def _lintel_wrap(view: Any, request: Any) -> None:
        if counts_keys(view, request.method):
            wrap_handler(view, request, _answer, _answer_on_the_loop)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Prepare the response for rendering, and keep it once it is rendered."""
        finalize = super().finalize_response  # type: ignore[misc]
        final = complete(finalize(request, response, *args, **kwargs))
        attempt = self.__dict__.pop("_lintel_attempt", None)
        if attempt is not None:
            _keep_when_rendered(attempt, final, set(self.headers))  # type: ignore[attr-defined]
        return final


@dataclass(frozen=True)
class _Attempt:
    """A request that is being carried out with a key."""

    cache: str
    name: str
    fingerprint: str
    seconds: float

    def release(self) -> None:
        """Allow the next request with the key to try."""
        caches[self.cache].delete(self.name)


@dataclass(frozen=True)
class _Kept:
    """The value in the cache: the fingerprint, and the response once there is one.

    A response without a body cannot be repeated: it was a stream.
    """

    fingerprint: str
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


# Around the handler


def counts_keys(view: Any, method: str | None) -> bool:
    """Return whether keys apply to a method of a view."""
    return method in view.idempotency_methods


def _answer(view: Any, request: Any, answer: Callable[[], Any]) -> Any:
    kept = _begin(view, request)
    if kept is not None:
        return kept
    try:
        return complete(answer())
    except Exception as error:
        if not _becomes_answer(error):
            _give_up(view)
        raise


async def _answer_on_the_loop(view: Any, request: Any, answer: Callable[[], Any]) -> Any:
    kept = await sync_to_async(_begin, thread_sensitive=True)(view, request)
    if kept is not None:
        return kept
    try:
        return await answer()
    except Exception as error:
        if not _becomes_answer(error):
            await sync_to_async(_give_up, thread_sensitive=True)(view)
        raise


def _becomes_answer(error: Exception) -> bool:
    return isinstance(error, _ANSWERED) and getattr(error, "status_code", 400) < 500


def _give_up(view: Any) -> None:
    attempt = view.__dict__.pop("_lintel_attempt", None)
    if attempt is not None:
        attempt.release()


def _begin(view: Any, request: Any) -> HttpResponse | None:
    """Return the kept response; None if the handler must make one.

    Raises IdempotencyKeyError, IdempotencyKeyInUse, IdempotencyKeyReused, and parser errors.
    """
    key = _key_of(view, request)
    if key is None:
        return None
    fingerprint = _fingerprint(request)
    name = _name_of(view, request, key)
    cache = caches[view.idempotency_cache]
    for _ in range(3):
        if cache.add(name, _Kept(fingerprint), view.idempotency_lock_seconds):
            alias, seconds = view.idempotency_cache, view.idempotency_seconds
            view._lintel_attempt = _Attempt(alias, name, fingerprint, seconds)
            return None
        found = cache.get(name)
        if isinstance(found, _Kept):
            return _replayed(found, fingerprint)
    raise IdempotencyKeyInUse


def _replayed(found: _Kept, fingerprint: str) -> HttpResponse:
    if found.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    if found.status is None or found.body is None:
        raise IdempotencyKeyInUse
    response = HttpResponse(found.body, status=found.status)
    del response.headers["Content-Type"]
    for name, value in (*found.headers, (REPLAYED, "true")):
        response.headers[name] = value
    return response


# Keeping responses


def _keep_when_rendered(attempt: _Attempt, response: Any, of_view: set[str]) -> None:
    """Keep a response; for a stream, only that it was sent."""
    if isinstance(response, Response):
        response.add_post_render_callback(partial(_keep, attempt, of_view))
    else:
        _keep(attempt, of_view, response)


def _keep(attempt: _Attempt, of_view: set[str], response: Any) -> None:
    if response.status_code >= 500 or response.status_code in _PASSING:
        attempt.release()
        return
    body = None if response.streaming else bytes(response.content)
    skipped = {name.lower() for name in of_view}
    headers = [each for each in response.headers.items() if each[0].lower() not in skipped]
    kept = _Kept(attempt.fingerprint, response.status_code, tuple(headers), body)
    caches[attempt.cache].set(attempt.name, kept, attempt.seconds)


# Identifying requests


def _key_of(view: Any, request: Any) -> str | None:
    """Return the key of a request, without its quotes."""
    given = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if given is None:
        if view.idempotency_key_required:
            message = "Send an Idempotency-Key header, such as a UUID made for this request."
            raise IdempotencyKeyError(message, "idempotency_key_required")
        return None
    found = _KEY.fullmatch(given.strip()) if len(given) <= 2 * _MAX_LENGTH else None
    key = found and (re.sub(r"\\(.)", r"\1", found[1]) if found[1] else found[2])
    if not key or len(key) > _MAX_LENGTH:
        raise IdempotencyKeyError
    return str(key)


def _name_of(view: Any, request: Any, key: str) -> str:
    http_request = request._request
    place = [request.method, http_request.get_host(), http_request.get_full_path()]
    parts = [view.get_idempotency_scope(request), *place, key]
    return f"lintel.idempotency.{_digest(parts)}"


def _scope_of(request: Any) -> list[Any]:
    user = request.user
    if user is not None and getattr(user, "is_authenticated", False):
        if getattr(user, "pk", None) is not None:
            return ["user", name_of_class(user), str(user.pk)]
        credentials = credentials_of(request)
        # A project's own headers for keys are unknown here: then URL and key must suffice.
        return ["credentials", *credentials, "" if any(credentials) else _address_of(request)]
    session = getattr(request._request, "session", None)
    return ["address", _address_of(request), getattr(session, "session_key", None)]


def _address_of(request: Any) -> Any:
    return BaseThrottle().get_ident(request)


def _fingerprint(request: Any) -> str:
    """Return a value that identifies a body: its data, so boundaries and spaces are ignored."""
    data = request.data
    if isinstance(data, MultiValueDict):
        data = dict(data.lists())
    return _digest([(request.content_type or "").partition(";")[0], data])


def _digest(value: Any) -> str:
    try:
        text = json.dumps(value, sort_keys=True, default=_plain)
    except TypeError:  # keys of several types, as in formats other than JSON
        text = json.dumps(value, default=_plain, skipkeys=True) + repr(value)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, UploadedFile):
        return [value.name, value.content_type, _digest_of_file(value)]
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    return repr(value)


def _digest_of_file(file: UploadedFile) -> str:
    found = hashlib.sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()
