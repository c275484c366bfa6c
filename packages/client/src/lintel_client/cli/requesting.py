"""Sends a request that no description covers, and prints the result."""

from dataclasses import replace
from typing import Any
from urllib.parse import quote, urldefrag, urlencode

import click

from lintel_client.cli.calls import carry_out, check_options
from lintel_client.cli.items import Items, as_text, items_of
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import bytes_of
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import absolute_url
from lintel_client.files import File
from lintel_client.forms import FORM
from lintel_client.styles import is_json
from lintel_document.document import Document
from lintel_document.fields import Field
from lintel_document.links import Link
from lintel_document.operations import Body
from lintel_document.urls import resolve

__all__ = ["request"]

JSON = "application/json"
MULTIPART = "multipart/form-data"

#: The key of the only operation of a document that is made for one request.
KEY = "request"


def request(method: str, url: str, words: tuple[str, ...], wire: Wire, **options: Any) -> None:
    """Send a request with the parts that ``words`` name; ``options`` are those of the command."""
    check_options(options)
    items = items_of(words)
    state = State()
    target = _with_query(_target(state, url), items)
    link, params = _link(method, target, items, options.pop("body"), options.pop("is_form"))
    headers = tuple(f"{name}:{value}" for name, value in items.headers)
    wire = replace(
        wire, headers=(*wire.headers, *headers), include=wire.include or method == "HEAD"
    )
    made = {"document": Document(target, content={KEY: link}), "keys": [KEY], "params": params}
    with open_client(state, wire) as (client, transport):
        carry_out(state, client, transport, made, options)


def _target(state: State, url: str) -> str:
    """Return the URL: below the current document for a path, on this machine for :8000/path."""
    if url.startswith("/") and not url.startswith("//"):
        here = state.document().url
        if not here:
            raise click.UsageError("The current document has no URL; write the whole URL")
        return resolve(here, url)
    return absolute_url(f"127.0.0.1{url}" if url.startswith(":") else url)


def _with_query(url: str, items: Items) -> str:
    """Return a URL in which nothing is left to fill in, with the parameters of the items."""
    plain = urldefrag(url).url.replace("{", "%7B").replace("}", "%7D")
    if not items.query:
        return plain
    query = urlencode(items.query, quote_via=quote, safe="")
    joint = "" if plain[-1] in "?&" else "&" if "?" in plain else "?"
    return f"{plain}{joint}{query}"


def _link(
    method: str, url: str, items: Items, body: str | None, is_form: bool
) -> tuple[Link, dict[str, Any]]:
    """Return the operation of a request, and its parameters. Raises click.UsageError."""
    if body is not None:
        if items.members or items.files:
            raise click.UsageError("--body goes with neither name=value nor name@file")
        kind = _content_type(items) or JSON
        return _whole(method, url, "*/*", File("", _content(body), kind))
    if items.files or (is_form and items.members):
        return _parts(method, url, MULTIPART if items.files else FORM, items.fields)
    if items.members:
        kind = _content_type(items) or JSON
        if not is_json(kind):
            raise click.UsageError(
                f"name=value makes JSON, which is not {kind}: use --body, or --form for a form"
            )
        return _whole(method, url, kind, items.data)
    return Link(url, method.lower()), {}


def _whole(method: str, url: str, kind: str, value: Any) -> tuple[Link, dict[str, Any]]:
    field = Field("body", True, "body")
    link = Link(url, method.lower(), kind, fields=[field], bodies=[Body(kind, (field,), True)])
    return link, {"body": value}


def _parts(
    method: str, url: str, kind: str, values: dict[str, list[Any]]
) -> tuple[Link, dict[str, Any]]:
    fields = [Field(name, False, "form") for name in values]
    params = {name: _form_value(value, kind) for name, value in values.items()}
    return Link(url, method.lower(), kind, fields=fields), params


def _form_value(values: list[Any], kind: str) -> Any:
    """Return all values of a field; one list of JSON is several of them, except beside files."""
    if kind == FORM and len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    return [value if isinstance(value, File) else as_text(value) for value in values]


def _content_type(items: Items) -> str:
    """Take the media type of the body from the headers."""
    found = [value for name, value in items.headers if name.lower() == "content-type"]
    items.headers = [pair for pair in items.headers if pair[0].lower() != "content-type"]
    return found[-1] if found else ""


def _content(source: str) -> bytes:
    if source == "-" or source.startswith("@"):
        return bytes_of("--body", source.removeprefix("@"), hint="")
    return source.encode(errors="surrogateescape")
