"""From a response to what it holds: a document, data, nothing, or an error."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from lintel_client.codecs import TextCodec
from lintel_client.downloads import DownloadCodec
from lintel_client.errors import ErrorMessage
from lintel_client.messages import Response
from lintel_client.negotiation import choose_decoder
from lintel_document.codec import Codec
from lintel_document.document import Document, Error
from lintel_document.errors import LintelError
from lintel_document.links import Link

__all__ = ["NO_CONTENT", "decode_response"]

# The most that is kept of an error page that is not meant for programs.
LONGEST_ERROR = 1_000_000


class _NoContent:
    """The answer of a server that has nothing to say; callers of a client see None."""

    def __repr__(self) -> str:
        return "NO_CONTENT"


NO_CONTENT = _NoContent()


def decode_response(
    response: Response, decoders: Sequence[Codec], limit: int, forced: Codec | None = None
) -> Any:
    """Return what a response holds, NO_CONTENT for an empty body.

    The decoder is chosen by Content-Type unless one is forced. Raises ErrorMessage for a status
    of 400 or more and for an error document, ParseError and NoCodecAvailable for content that
    cannot be read, NetworkError for more than `limit` bytes.
    """
    if response.status >= 400:
        raise _error_message(response, decoders, limit)
    decoder = forced or choose_decoder(decoders, response.headers.get("Content-Type", ""))
    result = _decoded(response, decoder, limit)
    if isinstance(result, Error):
        raise _message_of(response, result)
    return result


def _decoded(response: Response, decoder: Codec, limit: int) -> Any:
    options = {
        "base_url": response.url,
        "content_type": response.headers.get("Content-Type", ""),
        "content_disposition": response.headers.get("Content-Disposition", ""),
    }
    if isinstance(decoder, DownloadCodec) and response.status != HTTPStatus.NO_CONTENT:
        return _streamed(response, decoder, options)
    content = response.read(limit)
    return decoder.decode(content, **options) if content else NO_CONTENT


def _streamed(response: Response, decoder: DownloadCodec, options: dict[str, Any]) -> Any:
    """Download without reading the body first, unless there is none."""
    chunks = iter(response.body)
    try:
        first = next((chunk for chunk in chunks if chunk), b"")
        if not first:
            return NO_CONTENT
        return decoder.decode_stream(_prepended(first, chunks), **options)
    finally:
        response.close()


def _prepended(first: bytes, rest: Any) -> Any:
    yield first
    yield from rest


def _error_message(response: Response, decoders: Sequence[Codec], limit: int) -> ErrorMessage:
    content = response.read(limit)
    content_type = response.headers.get("Content-Type", "")
    result = _error_content(content, content_type, response.url, decoders) if content else None
    return _message_of(response, _as_error(result, _status_title(response)))


def _error_content(content: bytes, content_type: str, url: str, decoders: Sequence[Codec]) -> Any:
    """Read an error's body; where its codec fails, or would make a file of it, it is text."""
    text = TextCodec()
    try:
        decoder = choose_decoder(decoders, content_type)
        if not isinstance(decoder, DownloadCodec):
            return decoder.decode(content, base_url=url, content_type=content_type)
    except LintelError:
        pass
    return text.decode(content[:LONGEST_ERROR], content_type=content_type)


def _as_error(result: Any, title: str) -> Error:
    if isinstance(result, Error):
        return Error(result.title or title, result)
    if isinstance(result, Document):
        return Error(result.title or title, result.data)
    if isinstance(result, Mapping):
        return Error(title, {str(key): value for key, value in result.items()})
    if isinstance(result, list):
        return Error(title, {"messages": result})
    if result is None or isinstance(result, Link):
        return Error(title)
    return Error(title, {"message": result})


def _message_of(response: Response, error: Error) -> ErrorMessage:
    return ErrorMessage(error, response.status, response.reason, response.headers, response.url)


def _status_title(response: Response) -> str:
    try:
        reason = response.reason or HTTPStatus(response.status).phrase
    except ValueError:
        reason = ""
    return f"{response.status} {reason}".strip()
