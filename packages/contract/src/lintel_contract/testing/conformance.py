"""Check an exchange against a description: the only module that imports jsonschema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from email.message import Message
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from lintel_contract.messages import Body, Content, Parameter, Response, media_type
from lintel_contract.operations import Operation, operations, servers
from lintel_contract.places import Document, Place
from lintel_contract.testing.dialects import READ_ONLY, WRITE_ONLY, as_json_schema
from lintel_contract.testing.exchanges import Exchange

_BASE = "urn:lintel:description"
_FORM = "application/x-www-form-urlencoded"
#: What test clients send as a form without fields.
_NO_PARTS = re.compile(rb"--[^\r\n]+--\r\n")
_BOUNDARY = re.compile(r"; boundary=[^;]*")
_NAMES = re.compile(r"\{[^{}]*\}")

#: The most errors reported for one body.
MOST_ERRORS = 3

#: The most characters of a schema's requirement in a message.
MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Departure:
    """A departure of an exchange from the description.

    ``kind`` is one of the words on the page about testing; ``detail`` says what and where, without
    the exchanged values.
    """

    operation: str
    kind: str
    detail: str


class Description:
    """The operations of an OpenAPI document, and validators for its schemas."""

    def __init__(self, content: Any, name: str = "the schema") -> None:
        self.document: Document = Document(content, name)
        self.operations: dict[tuple[str, str], Operation] = operations(self.document)
        #: Each template, without names of parameters, and as the document writes it.
        self.written: dict[str, str] = {
            template: operation.label.partition(" ")[2]
            for (template, _), operation in self.operations.items()
        }
        self.patterns: dict[str, re.Pattern[str]] = {
            template: re.compile(_pattern(template)) for template in self.written
        }

    def find(self, method: str, path: str, route: str | None = None) -> Operation | None:
        """Return the operation of a method and a path.

        ``route`` is its template, if known.
        """
        if route is not None:
            operation = self.first_operation(method, [_NAMES.sub("{}", route)])
            if operation is not None:
                return operation
        return self.first_operation(method, self.templates(path))

    def first_operation(self, method: str, templates: Iterable[str]) -> Operation | None:
        """Return the operation of the first template that has one of this method."""
        method = "get" if method == "HEAD" else method.lower()
        operations = (self.operations.get((template, method)) for template in templates)
        return next((operation for operation in operations if operation is not None), None)

    def templates(self, path: str) -> list[str]:
        """Return the templates that a path fits, without names, the plainest first."""
        fits = [template for template, form in self.patterns.items() if form.fullmatch(path)]
        return sorted(fits, key=lambda template: (template.count("{}"), template))

    def templates_below_servers(self, path: str) -> list[str]:
        """Return the templates that a path fits below a server's URL, else those of the path."""
        for base in self.bases:
            if (match := base.match(path)) and (fits := self.templates(path[match.end() :])):
                return fits
        return self.templates(path)

    @cached_property
    def bases(self) -> list[re.Pattern[str]]:
        """Return the paths of the servers that have one; variables stand for one segment."""
        paths = {urlsplit(url).path.rstrip("/") for url in servers(self.document)}
        return [re.compile(f"{_pattern(_NAMES.sub('{}', path))}(?=/)") for path in paths if path]

    def errors(self, place: Place, value: Any, *, sent: bool) -> Iterator[ValidationError]:
        registry = self.requests if sent else self.responses
        reference = {"$ref": f"{_BASE}#{quote(place.pointer)}"}
        validator = Draft202012Validator(reference, registry=registry, format_checker=FORMATS)
        return iter(validator.iter_errors(value))

    @cached_property
    def requests(self) -> Any:
        """Return the schemas as they apply to requests."""
        return _registry(as_json_schema(self.document.root.value, READ_ONLY))

    @cached_property
    def responses(self) -> Any:
        """Return the schemas as they apply to responses."""
        return _registry(as_json_schema(self.document.root.value, WRITE_ONLY))


def _registry(content: Any) -> Any:
    return Registry().with_resource(_BASE, DRAFT202012.create_resource(content))


def _pattern(path: str) -> str:
    return "[^/]+".join(map(re.escape, path.split("{}")))


def departures(
    description: Description, operation: Operation, exchange: Exchange
) -> list[Departure]:
    """Return the departures of an exchange from its described operation.

    A request is checked only if the service accepted it: rejected requests may
    have any form.
    """
    check = Check(description, operation, exchange)
    check.response()
    if exchange.status < 400:
        check.parameters()
        check.request_body()
    return check.found


class Check:
    """The check of one exchange against its operation; ``found`` holds the departures."""

    def __init__(self, description: Description, operation: Operation, exchange: Exchange) -> None:
        self.description = description
        self.operation = operation
        self.exchange = exchange
        self.found: list[Departure] = []

    def note(self, kind: str, detail: str) -> None:
        """Record a departure, once."""
        departure = Departure(self.operation.label, kind, detail)
        if departure not in self.found:
            self.found.append(departure)

    def response(self) -> None:
        """Check status, headers, media type and body of the response."""
        status = str(self.exchange.status)
        response = answering(status, self.operation.responses)
        if response is None:
            self.note("status", status)
            return
        for header in response.headers.values():
            self.response_header(status, header)
        if self.exchange.method != "HEAD" and self.exchange.response_body is not None:
            self.response_body(status, response, self.exchange.response_body)

    def response_header(self, status: str, header: Parameter) -> None:
        text = self.exchange.response_headers.get(header.name.lower())
        if text is None:
            if header.is_required:
                self.note("header", f"{status} {header.name}: missing")
            return
        value = _value_of(self.description.document, header, [text])
        self.values("header", f"{status} {header.name}", header.schema, value, sent=False)

    def response_body(self, status: str, response: Response, body: bytes) -> None:
        stated = self.exchange.response_headers.get("content-type", "")
        if not body:
            if response.content and self.exchange.status not in (204, 205, 304):
                self.note("body", f"{status}: missing")
            return
        content = _content(stated, response.content)
        if content is None:
            self.note("media-type", f"{status} {media_type(stated)}")
        elif is_json(stated):
            self.json("body", f"{status} {media_type(stated)}", content, body, sent=False)

    def json(self, kind: str, where: str, content: Content, body: bytes, *, sent: bool) -> None:
        """Check a JSON text against the schema of its content."""
        try:
            value = json.loads(body)
        except ValueError:
            self.note(kind, f"{where}: not JSON")
            return
        self.values(kind, where, content.schemas[0], value, sent=sent)

    def values(self, kind: str, where: str, schema: Place, value: Any, *, sent: bool) -> None:
        if schema.value is None:
            return
        for number, error in enumerate(self.description.errors(schema, value, sent=sent)):
            if number == MOST_ERRORS:
                return
            self.note(kind, f"{where} {_said(error)}")

    def parameters(self) -> None:
        """Check the accepted query and header parameters."""
        sent = parse_qs(self.exchange.query, keep_blank_values=True)
        described = {
            name: parameter
            for (location, name), parameter in self.operation.parameters.items()
            if location == "query"
        }
        for name in sent.keys() - described.keys():
            self.note("parameter", f"{name[:MOST_SHOWN]}: not described")
        for name, parameter in described.items():
            self.parameter(parameter, sent.get(name))
        for (location, name), parameter in self.operation.parameters.items():
            if location == "header":
                text = self.exchange.request_headers.get(name)
                self.parameter(parameter, None if text is None else [text])

    def parameter(self, parameter: Parameter, texts: list[str] | None) -> None:
        """Check one parameter of the request; None means that it was not sent."""
        if texts is None:
            if parameter.is_required:
                self.note("parameter", f"{parameter.name}: required, accepted without")
            return
        if texts == [""]:  # an empty filter is no filter
            return
        value = _value_of(self.description.document, parameter, texts)
        self.values("parameter", parameter.name, parameter.schema, value, sent=True)

    def request_body(self) -> None:
        body, described = self.exchange.request_body, self.operation.body
        stated = self.exchange.request_headers.get("content-type", "")
        if body == b"" or (body is not None and _NO_PARTS.fullmatch(body)):
            if described is not None and described.is_required:
                self.note("request-body", "required, accepted without")
        elif self.exchange.method not in ("GET", "HEAD", "DELETE") or described is not None:
            self.sent_body(stated, described, body)

    def sent_body(self, stated: str, described: Body | None, body: bytes | None) -> None:
        """Check the media type of the request, and its body unless that is a stream."""
        content = None if described is None else _content(stated, described.content)
        if content is None:
            # Clients make a new boundary for each request.
            self.note("request-media-type", _BOUNDARY.sub("", media_type(stated)))
        elif body is None:
            return
        elif is_json(stated):
            self.json("request-body", media_type(stated), content, body, sent=True)
        elif media_type(stated) == _FORM:
            fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
            self.form(content, fields)

    def form(self, content: Content, fields: Mapping[str, list[str]]) -> None:
        """Check the names in a form: its values are text, whatever the schema says."""
        schema = self.description.document.follow(content.schemas[0])
        described = schema.members("properties")
        for name in fields.keys() - described.keys():
            if described and schema.get("additionalProperties") is False:
                self.note("request-body", f"{_FORM} {name[:MOST_SHOWN]}: not described")


def answering(status: str, responses: Mapping[str, Response]) -> Response | None:
    """Return the described response of a status: exact, its range (``4XX``), or the default."""
    for key in (status, f"{status[0]}XX", "DEFAULT"):
        if key in responses:
            return responses[key]
    return None


def _content(stated: str, contents: Mapping[str, Content]) -> Content | None:
    """Return the content of a media type; parameters count only if they are described."""
    full = media_type(stated)
    plain = full.partition(";")[0]
    for key in (full, plain, f"{plain.partition('/')[0]}/*", "*/*"):
        if key in contents:
            return contents[key]
    # Clients ask for "type; version=1", and the response has the plain type.
    named = (content for name, content in contents.items() if name.partition(";")[0] == full)
    return next(named, None)


def is_json(stated: str) -> bool:
    message = Message()
    message["content-type"] = stated
    name = message.get_content_type()
    return name == "application/json" or name.endswith("+json")


def _value_of(document: Document, parameter: Parameter, texts: list[str]) -> Any:
    if "/" in parameter.style:
        return _read(texts[-1], {"object", "array"})
    schema = document.follow(parameter.schema)
    types = schema.get("type", (str, list), [])
    types = {types} if isinstance(types, str) else set(map(str, types))
    if "array" not in types:
        return _read(texts[-1], types)
    items = document.follow(schema.at("items")).get("type", (str, list), "string")
    inner = {items} if isinstance(items, str) else set(map(str, items))
    if not parameter.style.endswith("exploded"):
        texts = texts[-1].split(",")
    return [_read(text, inner) for text in texts]


def _read(text: str, types: set[str]) -> Any:
    if types & {"integer", "number", "boolean", "object", "array"}:
        try:
            value = json.loads(text)
        except ValueError:
            return text
        return text if isinstance(value, str) else value
    return text


def _said(error: ValidationError) -> str:
    """Return where and what, without the value: all list positions are called ``*``."""
    steps = ["*" if isinstance(step, int) else str(step) for step in error.absolute_path]
    demanded = json.dumps(error.validator_value, default=str, ensure_ascii=False)
    if len(demanded) > MOST_SHOWN:
        demanded = f"{demanded[: MOST_SHOWN - 1]}…"
    if error.validator == "required":
        demanded = str(error.message).partition(" is a required")[0]
    return f"/{'/'.join(steps)}: {error.validator} {demanded}"


FORMATS = FormatChecker(["uuid", "email", "ipv4", "ipv6", "date"])


def _reads(read: Callable[[str], Any]) -> Callable[[object], bool]:
    def fits(value: object) -> bool:
        if not isinstance(value, str):
            return True
        try:
            read(value)
        except ValueError:
            return False
        return True

    return fits


def _uri(text: str) -> None:
    if not urlsplit(text).scheme:
        raise ValueError("an address needs a scheme")


for _name, _reader in (
    ("date", date.fromisoformat),
    ("date-time", datetime.fromisoformat),
    ("time", time.fromisoformat),
    ("uri", _uri),
):
    FORMATS.checks(_name)(_reads(_reader))
