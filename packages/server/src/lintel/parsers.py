"""Parsers turn the body of a request into data, by its content type.

Your own parsers derive from :class:`BaseParser`; an exception of ``lintel.exceptions``, such
as ParseError, becomes the response.
"""

import codecs
import io
import json
import re
import sys
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
from lintel.annotations import Setting
from lintel.exceptions import ParseError as ParseError
from lintel.fast import PLAIN
from lintel.renderers.data import Context
from lintel.request import declared_length, too_big
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings
from lintel.utils.form_names import FormDocument, depth_of, nested_files, nested_form, place_all
from lintel.utils.json import strict_constant, too_deep

Stream: TypeAlias = Any  # a body: whatever can be read as a file
Data: TypeAlias = Any  # what a parser makes of a body
Handler: TypeAlias = Any  # of uploads: Django's, or the project's

#: The longest part of a name that an error repeats.
MAX_SHOWN = 100


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
    # Up to an incomplete character at the end of the body: earlier errors take precedence.
    reader = codecs.getreader(encoding)
    text = body if isinstance(body, str) else reader(io.BytesIO(body)).read()
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
            # A chunked body counts as too large for memory, so that files go to disk.
            is_chunked = declared_length(request) is None
            length = int(settings.FILE_UPLOAD_MAX_MEMORY_SIZE) + 1 if is_chunked else 0
            meta["CONTENT_LENGTH"] = str(length)
        elif (declared_length(request) or 0) > sys.maxsize:
            raise too_big()  # no stream reads on to that length
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


class NestedMultiPartParser(MultiPartParser):
    """Forms with files whose names lead into nested data: ``lines[0].photo``, ``address.city``.

    ``json_part`` names a part that holds a document as JSON, with the other parts at their places
    in it; None: there is no such part. A name with more than ``max_depth`` steps is refused.
    """

    json_part: str | None = "json"
    max_depth = 20

    def parse(
        self, stream: Stream, media_type: str | None = None, parser_context: Context = None
    ) -> DataAndFiles:
        parsed = super().parse(stream, media_type, parser_context)
        return self.nested_form(parsed.data, parsed.files)

    def nested_form(self, form: QueryDict, files: Data) -> DataAndFiles:
        """Return a form that is read already with its nested data. Raises ParseError."""
        if any(depth_of(name) > self.max_depth for name in [*form, *files]):
            raise _no_form("A name is nested too deeply")
        part = self.json_part
        if part is not None and (part in form or part in files):
            return DataAndFiles(_document(part, form, files), files)
        return DataAndFiles(nested_form(form), nested_files(files))


def _no_form(text: str) -> ParseError:
    return ParseError(f"Multipart form parse error - {text}")


def _document(part: str, form: QueryDict, files: Data) -> FormDocument:
    sent = JSONParser().parse(io.BytesIO(_text_of(form.get(part, files.get(part)))))
    if not isinstance(sent, dict):
        raise _no_form(f'The part "{part}" is no object')
    document = FormDocument(sent, form)
    parts = [(name, values) for source in (form, files) for name, values in source.lists()]
    try:
        place_all(document, [entry for entry in parts if entry[0] != part])
    except LookupError as error:
        text = str(error.args[0])[:MAX_SHOWN]
        raise _no_form(f'The part "{text}" has no place in the part "{part}"') from None
    return document


def _text_of(sent: Data) -> bytes:
    if not isinstance(sent, UploadedFile):
        return str(sent).encode("utf-8", "surrogatepass")
    # Browsers send a Blob as a file.
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if limit is not None and (sent.size or 0) > limit:
        raise too_big()
    sent.seek(0)
    return bytes(sent.read())


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
