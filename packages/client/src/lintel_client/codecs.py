"""Decoders of plain data: JSON and text. Codecs of documents are in lintel_document."""

import codecs
import re
from email.message import Message
from typing import Any

from lintel_document.codec import Codec
from lintel_document.errors import ParseError
from lintel_document.jsontext import parse_json

__all__ = ["JSONCodec", "TextCodec", "charset_of", "media_type_of"]


class JSONCodec(Codec):
    """Reads JSON into dictionaries, lists and scalars, keeping the order of objects.

    Integers are exact whatever their size; with ``decimals``, so are numbers with a fraction, which
    become ``decimal.Decimal`` instead of float.
    """

    media_type = "application/json"
    format = "json"
    abilities: tuple[str] = ("data",)

    def __init__(self, decimals: bool = False) -> None:
        self.decimals = decimals

    def decode(self, content: bytes, **options: Any) -> Any:
        """Return the value. Raises ParseError for invalid JSON, including NaN and Infinity."""
        charset = charset_of(options.get("content_type") or "") or "utf-8-sig"
        try:
            text = _decoded(content, charset, "strict")
        except ValueError as error:
            raise ParseError(f"Malformed JSON: {error}") from None
        return parse_json(text, decimals=self.decimals)


class TextCodec(Codec):
    """Reads text in the charset that the response names, UTF-8 by default."""

    media_type = "text/*"
    format = "text"
    abilities: tuple[str] = ("data",)

    def decode(self, content: bytes, **options: Any) -> str:
        """Return the text; bytes that are invalid in the charset become U+FFFD."""
        charset = charset_of(options.get("content_type") or "") or "utf-8"
        return _decoded(content, charset, "replace")


# No charsets of texts: these take quadratic time, or fail with errors of their own.
_FOR_NAMES_OF_HOSTS = frozenset({"idna", "punycode"})


def media_type_of(content_type: str) -> str:
    """Return the media type of a Content-Type header, in lower case and without parameters."""
    return content_type.partition(";")[0].strip().lower()


def charset_of(content_type: str) -> str:
    """Return the charset of a Content-Type header, empty if it names no known one."""
    message = Message()
    message["Content-Type"] = re.sub(r"[\r\n]", " ", content_type)
    charset = str(message.get_content_charset() or "")
    try:
        "".encode(charset or "utf-8")
        b"".decode(charset or "utf-8")
    except (LookupError, ValueError):
        return ""
    return "" if charset and codecs.lookup(charset).name in _FOR_NAMES_OF_HOSTS else charset


def _decoded(content: bytes, charset: str, errors: str) -> str:
    try:
        return content.decode(charset, errors)
    except LookupError:
        # Some names belong to encodings that do not yield text, such as "hex".
        return content.decode("utf-8", errors)
