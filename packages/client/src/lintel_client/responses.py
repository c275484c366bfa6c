"""From a response to its content: a document, data, nothing, or an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from lintel_client.codecs import TextCodec, media_type_of
from lintel_client.downloads import DownloadCodec
from lintel_client.errors import ErrorMessage, error_class
from lintel_client.htmltext import html_text
from lintel_client.messages import Collected, Response
from lintel_client.negotiation import (
    choose_decoder,
    may_describe,
    reads_documents,
    recognizing,
)
from lintel_client.origins import without_query
from lintel_client.parsing import parsed
from lintel_client.progress import ProgressCallback, reporter
from lintel_client.refusals import NO_NAMES, ParameterNames
from lintel_client.steps import AnyResponse, Call, Receive, Work, read_body, take_steps
from lintel_document.codec import Codec
from lintel_document.document import Document, Error
from lintel_document.errors import LintelError, ParseError
from lintel_document.links import Link

__all__ = ["NO_CONTENT", "Reading", "decode_response", "decoding"]

# The most that is kept of an error page that is not machine-readable.
LONGEST_ERROR = 1_000_000
HTML = ("text/html", "application/xhtml+xml")
LARGE = 1 << 18
"""The bytes from which on reading an answer takes long enough to be left to a thread."""


class _NoContent:
    """Marks a response without content; callers of a client get None."""

    def __repr__(self) -> str:
        return "NO_CONTENT"


NO_CONTENT = _NoContent()


def decode_response(
    response: Response, decoders: Sequence[Codec], limit: int, forced: Codec | None = None
) -> Any:
    """Return the content of a response, NO_CONTENT for an empty body, by running ``decoding``."""
    return take_steps(decoding(response, Reading(decoders, limit, forced)))


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a response: with which decoders, up to which size, for which parameters.

    With ``documents``, a JSON, YAML or text response is a document if its content says so. Texts of
    the answers to ``parsing`` become dates, UUIDs and decimals.
    """

    decoders: Sequence[Codec]
    limit: int
    forced: Codec | None = None
    names: ParameterNames = NO_NAMES
    progress: ProgressCallback | None = None
    documents: bool = False
    parsing: Link | None = None


def decoding(response: AnyResponse, reading: Reading) -> Call[Any]:
    """Return the content of a response, NO_CONTENT for an empty body.

    The decoder is chosen by Content-Type unless one is forced. Raises ErrorMessage for a status
    of 400 or more and for an error document, ParseError and NoCodecAvailable for content that
    cannot be read, NetworkError for more than ``limit`` bytes.
    """
    if response.status >= 400:
        raise (yield from _refusal(response, reading))
    content_type = response.headers.get("Content-Type", "")
    decoder = reading.forced or choose_decoder(reading.decoders, content_type)
    options = {
        "base_url": response.url,
        "content_type": content_type,
        "content_disposition": response.headers.get("Content-Disposition", ""),
    }
    documents = reading.documents and may_describe(content_type, response.url)
    if isinstance(decoder, DownloadCodec) and not documents:
        return (yield from _downloaded(response, decoder, options, reading))
    content = yield from _body(response, reading)
    try:
        result = yield from _reading(content, decoder, options, reading)
    except ParseError as error:
        source = without_query(response.url)
        raise ParseError(f"The response from {source} cannot be read. {error}") from error
    if isinstance(result, Error):
        raise _message_of(response, result, content, reading)
    if reading.parsing and result is not NO_CONTENT:
        return parsed(result, reading.parsing, response.status, content_type)
    return result


def _reading(
    content: bytes, decoder: Codec, options: dict[str, Any], reading: Reading
) -> Call[Any]:
    """Decode a body, in a thread if it is large."""
    if not content:
        return NO_CONTENT
    if len(content) < LARGE:
        return _decoded(content, decoder, options, reading)
    return (yield Work(_decoded, (content, decoder, options, reading)))


def _decoded(content: bytes, decoder: Codec, options: dict[str, Any], reading: Reading) -> Any:
    """Decode a body, by its content if its media type does not name documents."""
    named = bool(options["content_type"]) and reads_documents(decoder)
    if reading.documents and not reading.forced and not named:
        described = recognizing(reading.decoders, content)
        try:
            if described:
                return described.decode(content, **options)
        except ParseError:
            # It only looked like one; if nothing else reads the type, the error stands.
            if isinstance(decoder, DownloadCodec):
                raise
    return decoder.decode(content, **options)


def _body(response: AnyResponse, reading: Reading) -> Call[bytes]:
    collected = Collected(reading.limit, response.url)
    yield Receive(response, collected.write, reporter(response.headers, reading.progress))
    return collected.content()


def _downloaded(
    response: AnyResponse, decoder: DownloadCodec, options: dict[str, Any], reading: Reading
) -> Call[Any]:
    """Write a body to a file as it arrives; an empty one makes no file."""
    with decoder.receiving(**options) as incoming:
        report = reporter(response.headers, reading.progress)
        yield Receive(response, incoming.write, report, blocks=True)
        return (yield Work(incoming.finished)) or NO_CONTENT


def _refusal(response: AnyResponse, reading: Reading) -> Call[ErrorMessage]:
    content = yield from read_body(response, reading.limit)
    content_type = response.headers.get("Content-Type", "")
    read = _error_content(content, content_type, response.url, reading.decoders)
    error = _as_error(read if content else None, _status_title(response))
    return _message_of(response, error, content, reading)


def _error_content(content: bytes, content_type: str, url: str, decoders: Sequence[Codec]) -> Any:
    """Read an error's body; it is text if its codec fails or would make it a file."""
    text = TextCodec()
    try:
        decoder = choose_decoder(decoders, content_type)
        if not isinstance(decoder, DownloadCodec | TextCodec):
            return decoder.decode(content, base_url=url, content_type=content_type)
    except LintelError:
        pass
    page = text.decode(content[:LONGEST_ERROR], content_type=content_type)
    return html_text(page) if media_type_of(content_type) in HTML else page


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


def _message_of(
    response: AnyResponse, error: Error, content: bytes, reading: Reading
) -> ErrorMessage:
    return error_class(response.status)(
        error,
        response.status,
        response.reason,
        response.headers,
        response.url,
        content,
        reading.names,
        response.refused,
    )


def _status_title(response: AnyResponse) -> str:
    try:
        reason = response.reason or HTTPStatus(response.status).phrase
    except ValueError:
        reason = ""
    return f"{response.status} {reason}".strip()
