"""Which request a key stands for: its owner, its URL, and its body."""

import hashlib
import json
import re

from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from lintel.annotations import AnyView
from lintel.idempotency.errors import IdempotencyKeyError
from lintel.request import Request, class_of_user, credentials_of
from lintel.scoping import owner_in_scope
from lintel.throttling.base import BaseThrottle

#: A key, bare or as a string of structured fields (RFC 9651, 3.3.3).
_KEY = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])+)"|([!#-~](?:[ -~]*[!-~])?)')
_MAX_LENGTH = 255


def key_of(view: AnyView, request: Request) -> str | None:
    """Return the key of a request, without its quotes. Raises IdempotencyKeyError."""
    given = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if given is None:
        if view.idempotency_key_required:
            message = "Send an Idempotency-Key header, such as a UUID made for this request."
            raise IdempotencyKeyError(message, "idempotency_key_required")
        return None
    match = _KEY.fullmatch(given.strip()) if len(given) <= 2 * _MAX_LENGTH else None
    key = match and (re.sub(r"\\(.)", r"\1", match[1]) if match[1] else match[2])
    if not key or len(key) > _MAX_LENGTH:
        raise IdempotencyKeyError
    return str(key)


def digest_of_key(view: AnyView, request: Request, key: str) -> str:
    http_request = request._request
    place = [request.method, http_request.get_host(), http_request.get_full_path()]
    # Of several tenants of a user, a header or the session may choose one.
    owners = [view.get_idempotency_scope(request), owner_in_scope(view, request)]
    return _digest([*owners, *place, key])


def scope_of(request: Request) -> list[object]:
    user = request.user
    if user is not None and getattr(user, "is_authenticated", False):
        if getattr(user, "pk", None) is not None:
            return ["user", class_of_user(user), str(user.pk)]
        credentials = credentials_of(request)
        # A project's own headers for keys are unknown here: then URL and key must suffice.
        return ["credentials", *credentials, "" if any(credentials) else _address_of(request)]
    session = getattr(request._request, "session", None)
    return ["address", _address_of(request), getattr(session, "session_key", None)]


def _address_of(request: Request) -> str:
    return BaseThrottle().get_ident(request)


def fingerprint_of(request: Request) -> str:
    """Return a digest of the data of a body. Raises the errors of parsers."""
    data = request.data
    if isinstance(data, MultiValueDict):
        data = dict(data.lists())
    return _digest([(request.content_type or "").partition(";")[0], data])


def _digest(value: object) -> str:
    try:
        text = json.dumps(value, sort_keys=True, default=_plain)
    except TypeError:  # keys of several types, as in formats other than JSON
        text = json.dumps(value, default=_plain, skipkeys=True) + repr(value)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, UploadedFile):
        return [value.name, value.content_type, _digest_of_file(value)]
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    return repr(value)


def _digest_of_file(file: UploadedFile) -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()
