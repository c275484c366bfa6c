"""Responses as they are kept, and as they are sent again."""

import json
from dataclasses import dataclass

from lintel.idempotency.errors import IdempotencyKeyInUse, IdempotencyKeyReused
from lintel.response import Response

#: The header of a repeated response.
REPLAYED = "Idempotent-Replayed"

#: Statuses that do not settle the write, beside all from 500 on: it may be tried again.
_PASSING = frozenset([401, 408, 425, 429])


@dataclass(frozen=True)
class Kept:
    """A response, and the fingerprint of its request; streams and large ones have no body."""

    fingerprint: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes | None


def is_final(response: Response) -> bool:
    return response.status_code < 500 and response.status_code not in _PASSING


def kept_of(fingerprint: str, response: Response, of_view: set[str], max_bytes: int | None) -> Kept:
    """Return what to keep of a rendered response: all but the headers of the view."""
    body = None if response.streaming else bytes(response.content)
    if body is not None and max_bytes is not None and len(body) > max_bytes:
        body = None
    skipped = {name.lower() for name in of_view}
    headers = [header for header in response.headers.items() if header[0].lower() not in skipped]
    return Kept(fingerprint, response.status_code, tuple(headers), body)


def replayed(answer: Kept, fingerprint: str) -> Response:
    """Return a kept response, rendered. Raises IdempotencyKeyReused, IdempotencyKeyInUse."""
    if answer.fingerprint != fingerprint:
        raise IdempotencyKeyReused
    if answer.body is None:
        raise IdempotencyKeyInUse
    response = Response(status=answer.status, exception=answer.status >= 400)
    del response.headers["Content-Type"]
    for name, value in (*answer.headers, (REPLAYED, "true")):
        response.headers[name] = value
    response.content = answer.body
    response.data = _data_in(response)
    return response


def _data_in(response: Response) -> object:
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip()
    if not media_type.endswith(("/json", "+json")):
        return None
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None
