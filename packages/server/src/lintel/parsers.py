"""Parsers turn the body of a request into data, by its content type.

Your own parsers derive from :class:`BaseParser`; an exception of ``lintel.exceptions``, such
as ParseError, becomes the response.
"""

import codecs
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import StopFutureHandlers, UploadFileException
from django.http import QueryDict
from django.http.multipartparser import ChunkIter, MultiPartParserError
from django.http.multipartparser import MultiPartParser as DjangoMultiPartParser
from django.utils.http import parse_header_parameters

from lintel import fast
from lintel import renderers as renderers
from lintel.annotations import AnyRequest, Setting
from lintel.exceptions import ParseError as ParseError
from lintel.fast import PLAIN
from lintel.renderers.data import Context
from lintel.request import declared_length
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings
from lintel.utils.json import strict_constant, too_deep

Stream: TypeAlias = Any  # a body: whatever can be read as a file
Data: TypeAlias = Any  # what a parser makes of a body
Handler: TypeAlias = Any  # of uploads: Django's, or the project's


def get_encoding(parser_context: Context) -> str:
    """Return the charset of the body. Raises ParseError for anything else, such as ``bz2``."""
    encoding = (parser_context or {}).get("encoding") or settings.DEFAULT_CHARSET
    if encoding == "utf-8":
        return "utf-8"
    try:
        # Rejects unknown names, and codecs between bytes and bytes.
        "".encode(encoding)
        b"".decode(encoding)
    except (LookupError, ValueError, TypeError):
        text = f'Unsupported charset "{encoding}" in request Content-Type header.'
        raise ParseError(text) from None
    return str(encoding)


class DataAndFiles:
    """The result of a parser that also reads files."""

    def __init__(self, data: Data, files: Data) -> None:
        self.data = data
        self.files = files


class BaseParser:
    """Reads bodies of ``media_type``, which may contain wildcards.

    A body larger than DATA_UPLOAD_MAX_MEMORY_SIZE is rejected while it is read. A parser that
    processes the body in pieces sets ``reads_unlimited_stream``; one that needs it all at once sets
    ``reads_buffered_body``, and ``request.body`` stays readable.
    """

    media_type: str | None = None
    reads_unlimited_stream = False
    reads_buffered_body = False

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> Data:
        """Return the data of ``stream``, or DataAndFiles.

        ``media_type`` is the content type with its parameters; ``parser_context`` holds ``view``,
        ``request``, ``args``, ``kwargs`` and ``encoding``. Raises ParseError for a malformed body.
        """
        raise NotImplementedError(
            f".parse() must be overridden. {type(self).__name__}.parse() returns the data of the "
            "stream."
        )


class JSONParser(BaseParser):
    """JSON (RFC 8259). ``strict`` rejects NaN, infinities and numbers too large for a float."""

    media_type: str | None = "application/json"
    renderer_class = renderers.JSONRenderer
    strict: Setting = SettingDefault("STRICT_JSON")
    reads_buffered_body = True

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> Data:
        encoding = get_encoding(parser_context)
        body = stream.read()
        is_utf8 = encoding == "utf-8" or codecs.lookup(encoding).name == "utf-8"
        if isinstance(body, bytes) and is_utf8:
            data = fast.parsed(body)
            if data is not PLAIN:
                return data
        try:
            return _parse_slowly(body, encoding, self.strict)
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        except RecursionError as error:
            raise ParseError("JSON parse error - The document is nested too deeply") from error


def _parse_slowly(body: bytes | str, encoding: str, strict: bool) -> Data:
    text = body if isinstance(body, str) else _read_text(body, encoding)
    data = json.loads(
        text,
        parse_constant=strict_constant if strict else None,
        parse_float=_strict_float if strict else None,
    )
    if isinstance(body, bytes):
        body.decode(encoding)  # an incomplete character at the end is malformed as well
    if too_deep(data):
        raise RecursionError
    return data


def _read_text(body: bytes, encoding: str) -> str:
    """Decode ``body`` up to an incomplete character at its end: earlier errors take precedence."""
    return codecs.getreader(encoding)(io.BytesIO(body)).read()


def _strict_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        strict_constant(text if len(text) <= 40 else text[:40] + "...")
    return value


class FormParser(BaseParser):
    """HTML forms without files (``application/x-www-form-urlencoded``)."""

    media_type: str | None = "application/x-www-form-urlencoded"
    reads_buffered_body = True

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> QueryDict:
        encoding = get_encoding(parser_context)
        body = stream.read()
        try:
            return QueryDict(body, encoding=encoding)
        except (UnicodeError, LookupError) as error:
            raise ParseError(f"Form parse error - {error}") from error


class MultiPartParser(BaseParser):
    """HTML forms with files (RFC 7578), read by Django.

    Files go through FILE_UPLOAD_HANDLERS; the limits DATA_UPLOAD_MAX_MEMORY_SIZE (for all but
    files), DATA_UPLOAD_MAX_NUMBER_FIELDS and DATA_UPLOAD_MAX_NUMBER_FILES apply.
    """

    media_type: str | None = "multipart/form-data"
    reads_unlimited_stream = True

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> DataAndFiles:
        context = parser_context or {}
        request = context["request"]
        encoding = get_encoding(context)
        meta = {**request.META, "CONTENT_TYPE": media_type}
        if not meta.get("CONTENT_LENGTH"):
            meta["CONTENT_LENGTH"] = str(_assumed_length(request))
        handlers = request.upload_handlers
        try:
            parser = DjangoMultiPartParser(meta, stream, handlers, encoding)
        except (MultiPartParserError, ValueError, LookupError) as error:  # a malformed header
            raise ParseError(f"Multipart form parse error - {error}") from error
        try:
            data, files = parser.parse()
        except MultiPartParserError as error:
            raise ParseError(f"Multipart form parse error - {error}") from error
        return DataAndFiles(data, files)


def _assumed_length(request: AnyRequest) -> int:
    """Return a length for a chunked body, too large for memory, so that files go to disk."""
    chunked = declared_length(request) is None
    return int(settings.FILE_UPLOAD_MAX_MEMORY_SIZE) + 1 if chunked else 0


class FileUploadParser(BaseParser):
    """A body that is one file, named by the URL or by ``Content-Disposition`` (RFC 6266)."""

    media_type: str | None = "*/*"
    errors: dict[str, str] = {
        "unhandled": "FileUpload parse error - none of upload handlers can handle the stream",
        "no_filename": "Missing filename. Request should include a Content-Disposition header "
        "with a filename parameter.",
    }
    reads_unlimited_stream = True

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> DataAndFiles:
        """Return the file. Raises ParseError without a name, or if no upload handler accepts it."""
        context = parser_context or {}
        request = context["request"]
        # For the handlers; the bytes are stored unchanged, so any charset will do.
        encoding = context.get("encoding") or settings.DEFAULT_CHARSET
        filename = _CONTROL_CHARACTERS.sub("", self.get_filename(stream, media_type, context) or "")
        if filename.rpartition("/")[2] in {"", ".", ".."}:
            raise ParseError(self.errors["no_filename"])
        meta = request.META
        length = declared_length(request) or 0
        handlers = request.upload_handlers
        for handler in handlers:
            result = handler.handle_raw_input(stream, meta, length, None, encoding)
            if result is not None:
                return DataAndFiles({}, {"file": result[1]})
        content_type = meta.get("HTTP_CONTENT_TYPE", meta.get("CONTENT_TYPE", ""))
        described = (None, filename, content_type, length or None, encoding)
        uploaded = _upload(stream, _announced(handlers, described))
        if uploaded is None:
            raise ParseError(self.errors["unhandled"])
        return DataAndFiles({}, {"file": uploaded})

    def get_filename(
        self, stream: Stream, media_type: str | None, parser_context: Mapping[str, Data]
    ) -> str | None:
        """Return the name of the file as the client sent it, directories included, or None."""
        filename = (parser_context.get("kwargs") or {}).get("filename")
        if filename is not None:
            return str(filename)
        header = parser_context["request"].META.get("HTTP_CONTENT_DISPOSITION", "")
        try:
            return parse_header_parameters(header)[1].get("filename")
        except (ValueError, LookupError):
            return None


#: Characters removed from file names: no file system takes NUL, no header a line break.
_CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f]")


def _announced(handlers: Sequence[Handler], described: tuple[object, ...]) -> list[Handler]:
    taking_part = []
    for handler in handlers:
        taking_part.append(handler)
        try:
            handler.new_file(*described)
        except StopFutureHandlers:
            break
    return taking_part


def _upload(stream: Stream, handlers: Sequence[Handler]) -> UploadedFile | None:
    chunk_size = min([2**31 - 4, *(h.chunk_size for h in handlers if h.chunk_size)])
    received = [0] * len(handlers)
    try:
        for piece in ChunkIter(stream, chunk_size):
            chunk: bytes | None = piece
            for position, handler in enumerate(handlers):
                size = len(chunk or b"")
                chunk = handler.receive_data_chunk(chunk, received[position])
                received[position] += size
                if chunk is None:
                    break
    except UploadFileException:  # a handler rejects the file
        return None
    files = (handler.file_complete(received[i]) for i, handler in enumerate(handlers))
    return next((file for file in files if file is not None), None)
