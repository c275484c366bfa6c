"""The text of cursors: written, parsed, and bound to their list.

A cursor is the base64 of a query string with these tokens:

* ``o``, ``r``, ``p``: offset, direction and first value. Only these: the form without a version,
  which every server of this interface reads and writes.
* ``k``: the whole key, in place of ``p``. ``v``: the version of the form, 1. ``b``: a hash of the
  list, its ordering and its filters, which must match the request. ``s``: instead of ``b``,
  a signature over all of that; with ``signed`` every cursor has one, and is rejected without it.
"""

import hashlib
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib import parse

from django.core.signing import BadSignature, Signer

from lintel.pagination.base import positive_number
from lintel.request import Request
from lintel.settings import api_settings


class Cursor(NamedTuple):
    """A position between two rows. ``position`` is a value of the first column, or a RowKey."""

    offset: int
    reverse: bool
    position: str | None


class RowKey(str):
    """A position that is the whole key of a row, as the text of a JSON list."""

    __slots__ = ()


#: The version of cursors with one; those without have the form that all servers share.
VERSION = "1"

#: The memory address of an object is not part of an ordering.
MEMORY_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

SIGNER_SALT = "lintel.pagination.cursors"


def read_cursor(style: Any, text: str, request: Request) -> Cursor:
    """Raises ValueError for invalid text, or a cursor of another list."""
    tokens = _tokens(a2b_base64(text).decode("ascii"))
    _check(style, tokens, request)
    offset = positive_number(tokens["o"], cutoff=style.offset_cutoff) if "o" in tokens else 0
    is_reversed = bool(int(tokens["r"])) if "r" in tokens else False
    position = RowKey(tokens["k"]) if "k" in tokens else tokens.get("p")
    return Cursor(offset, is_reversed, position)


def write_cursor(style: Any, cursor: Cursor) -> str:
    tokens = {}
    if cursor.offset != 0:
        tokens["o"] = str(cursor.offset)
    if cursor.reverse:
        tokens["r"] = "1"
    if cursor.position is not None:
        tokens["k" if isinstance(cursor.position, RowKey) else "p"] = str(cursor.position)
    if style.signed or "k" in tokens:
        _prove(style, tokens)
    parts = [f"{name}={_inside(name, text)}" for name, text in tokens.items()]
    if isinstance(cursor.position, tuple | list):
        # A subclass with positions of several values parses them itself.
        several = "&".join([f"p={parse.quote_plus(str(value))}" for value in cursor.position])
        parts[list(tokens).index("p")] = several
    query = "&".join(parts)
    return b2a_base64(query.encode("ascii"), newline=False).decode("ascii")


def _check(style: Any, tokens: dict[str, str], request: Request) -> None:
    """Raise ValueError for a cursor of another list, or one that was changed."""
    proof = tokens.pop("s" if style.signed else "b", None)
    if proof is None and not style.signed and tokens.keys().isdisjoint(("k", "v", "s")):
        return
    if proof is None or tokens.get("v") != VERSION:
        raise ValueError("The cursor has no proof of where it comes from.")
    if style.signed:
        try:
            # Keys of SECRET_KEY_FALLBACKS are valid as well.
            Signer(salt=SIGNER_SALT).unsign(f"{_signed_text(style, tokens, request)}:{proof}")
        except BadSignature as error:
            raise ValueError("The signature of the cursor is wrong.") from error
    elif proof != _mark(style, request):
        raise ValueError("The cursor belongs to another list.")


def _prove(style: Any, tokens: dict[str, str]) -> None:
    tokens["v"] = VERSION
    if style.signed:
        text = _signed_text(style, tokens, style.request)
        tokens["s"] = Signer(salt=SIGNER_SALT).signature(text)
    else:
        tokens["b"] = _mark(style, style.request)


def _scope(style: Any, request: Request) -> str:
    ordering = style.ordering
    if isinstance(ordering, str) or not isinstance(ordering, Sequence):
        ordering = (ordering,)
    names = style.cursor_query_param, style.page_size_query_param, api_settings.URL_FORMAT_OVERRIDE
    filters = sorted([pair for pair in request.query_params.lists() if pair[0] not in names])
    path = getattr(request, "_request", request).path_info
    return repr([path, [_named(term) for term in ordering], filters])


def _named(term: object) -> str:
    return term if isinstance(term, str) else MEMORY_ADDRESS.sub("", repr(term))


def _mark(style: Any, request: Request) -> str:
    """Return a hash of the scope: it distinguishes lists, but does not prevent forgery."""
    key = (request, style.ordering)
    mark = style._lintel_mark
    if mark is None or mark[0] != key:
        scope = _scope(style, request).encode()
        mark = style._lintel_mark = key, hashlib.blake2b(scope, digest_size=6).hexdigest()
    return mark[1]


def _signed_text(style: Any, tokens: dict[str, str], request: Request) -> str:
    return f"{_scope(style, request)} {sorted(tokens.items())!r}"


def _inside(name: str, text: str) -> str:
    """Encode the text of a token. Our keys are ASCII JSON and need little percent-encoding."""
    if name not in ("k", "p"):
        return text
    if name == "p" or not text.isascii():
        return parse.quote_plus(text)
    return text.replace("%", "%25").replace("&", "%26").replace("+", "%2B")


def _tokens(text: str) -> dict[str, str]:
    """Return the tokens of a cursor; the first of each name counts."""
    tokens: dict[str, str] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if "%" in part or "+" in part:
            name, value = parse.unquote_plus(name), parse.unquote_plus(value)
        tokens.setdefault(name, value)
    return tokens
