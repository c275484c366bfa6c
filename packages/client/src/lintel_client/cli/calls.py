"""Calls an operation and prints the result."""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import click

from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.cli.output import (
    check_data,
    note,
    on_terminal,
    print_bytes,
    print_json,
    print_result,
    print_text,
    save,
)
from lintel_client.cli.places import divided, put_files
from lintel_client.cli.redaction import redacted
from lintel_client.cli.results import are_parts_of_items, filter_of, rows_of, selected, write_items
from lintel_client.cli.session import CommandTransport, open_client
from lintel_client.cli.state import State
from lintel_client.cli.values import parameters, texts
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import path_keys
from lintel_client.errors import IncompleteList
from lintel_client.headers import Headers
from lintel_client.lookup import Key, find_link
from lintel_client.messages import Request
from lintel_client.negotiation import accept_data
from lintel_client.streaming.kinds import always_streams
from lintel_document.controls import printable
from lintel_document.document import Document
from lintel_document.errors import LintelError

__all__ = ["call", "carry_out", "check_options"]

Tell = Callable[[int, int | None], object]


def call(keys: Sequence[str], values: dict[str, Any], wire: Wire, **options: Any) -> None:
    """Call the operation at ``keys``.

    ``values`` are those of the parameter options, ``options`` those of the command
    ``action``.
    """
    check_options(options)
    state = State()
    document = state.document_of(keys)
    path = path_keys(document, tuple(keys))
    values = _given(document, path, values, options)
    made: dict[str, Any] = {
        "document": document,
        "keys": path,
        "params": values,
        "overrides": _overrides(options),
    }
    with open_client(state, wire) as (client, transport):
        made["params"] = {**_stored_headers(document, path, transport), **values}
        carry_out(state, client, transport, made, options)


def _given(
    document: Document, path: Sequence[Key], values: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """Remove from ``options`` what gives parameters, and return all of these by name."""
    params, strings, data = (options.pop(name) for name in ("params", "strings", "data"))
    link = find_link(document, path).link
    files, inner = divided(options.pop("files"), link)
    body = options.pop("body")
    found = {**parameters(params, strings, data, files), **values}
    if body is not None:
        whole = _of_body(document, path, body, options["encoding"])
        found = later("bodies:spread", {**whole, **found}, link, inner)
    return put_files(found, inner, link)


def carry_out(
    state: State,
    client: Any,
    transport: CommandTransport,
    made: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Send a request, or show it, and print what comes back as ``options`` say."""
    if options["dry_run"]:
        request = client.request(**made)
        if options["language"] in ("curl", "python", "javascript"):
            request = _asking_for_json(request, accept_data(client.decoders))
        _show(request, transport, options["language"], options["reveal"])
    elif options["form"] == "raw":
        _pass_on(client, transport, made, options["output"])
    elif options["stream"] or _is_stream(made, options):
        stream = client.stream(**made, reconnect=options["reconnect"])
        chosen = filter_of(options["expression"]), _paths(options["select"])
        later("follow:follow", stream, options["form"], *chosen, options["output"])
    elif options["all_pages"]:
        _write_pages(client.pages(**made), options)
    elif options["resume"]:
        _with_bar(client.download, path=options["output"], **made)
    else:
        _finish(state, _called(client, made, options["output"]), options)


def _of_body(*given: Any) -> dict[str, Any]:
    found: dict[str, Any] = later("bodies:body_parameters", *given)
    return found


def _is_stream(made: dict[str, Any], options: dict[str, Any]) -> bool:
    link = find_link(made["document"], made["keys"]).link
    return not options["all_pages"] and always_streams(link)


def _stored_headers(
    document: Document, path: Sequence[Key], transport: CommandTransport
) -> dict[str, str]:
    """Return required header parameters of an operation that are stored for its host."""
    link = find_link(document, path).link
    needed = [field.name for field in link.fields if field.location == "header" and field.required]
    # A description read from a file has no URL, but its operations do.
    url = document.url or link.url
    if not needed or not url.startswith(("http://", "https://")):
        return {}
    bare = Request("GET", url, Headers(), home=url)
    known = transport.prepared(bare).headers
    return {name: known[name] for name in needed if name in known}


def _overrides(options: dict[str, Any]) -> dict[str, Any]:
    server = options["server"]
    found = {
        "action": options["method"],
        "encoding": options["encoding"],
        "transform": options["transform"],
        "server": int(server) if server and server.isascii() and server.isdigit() else server,
        "server_variables": texts("--server-variable", options["server_variables"]) or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def check_options(options: dict[str, Any]) -> None:
    """Refuse options that contradict each other. Raises click.UsageError."""
    if (options["language"] or options["reveal"]) and not options["dry_run"]:
        raise click.UsageError("--as and --reveal go with --dry-run")
    if options["stream"] and (
        options["all_pages"] or options["resume"] or options["form"] == "raw"
    ):
        raise click.UsageError("--stream goes with neither --all nor --raw nor --resume")
    if options["resume"] and not options["output"]:
        raise click.UsageError("--resume goes with --output")
    if options["form"] == "raw" and (options["all_pages"] or options["select"]):
        raise click.UsageError("--raw goes with neither --all nor --select")
    if options["expression"] is not None and (options["form"] == "raw" or options["resume"]):
        raise click.UsageError("--filter goes with neither --raw nor --resume")
    # A mistake in it is found before anything is sent.
    filter_of(options["expression"])


def _asking_for_json(request: Request, usual: str) -> Request:
    """Return a request for a reader who has no codecs: one that asked for any format of ours."""
    if request.headers.get("Accept") != usual:
        return request
    return replace(request, headers=request.headers.setting([("Accept", "application/json")]))


def _show(
    request: Request, transport: CommandTransport, language: str | None, reveal: bool
) -> None:
    prepared = transport.prepared(request)
    if language is None and not reveal:
        text = printable(transport.shown(request))
        print_bytes(f"{text}\n".encode(errors="replace"))
        return
    try:
        shown = prepared if reveal else redacted(prepared, transport.secret_headers)
    except ValueError as error:
        raise Failure(str(error)) from error
    print_text(later("programs:program_of", shown, language or "http"))


def _pass_on(
    client: Any, transport: CommandTransport, made: dict[str, Any], output: Path | None
) -> None:
    """Print a raw response; an error status then ends the command as usual."""
    transport.keeps_content = True
    try:
        client.action(**made)
    except LintelError:
        # A redirect that was not followed is no response, either.
        refused = transport.last is None or not 200 <= transport.last.status < 300
        if refused and not transport.content:
            raise
        _write(transport.content, output)
        if refused:
            raise
        return
    _write(transport.content, output)


def _write(content: bytes, output: Path | None) -> None:
    if output is None:
        print_text(content)
    else:
        output.write_bytes(content)


def _called(client: Any, made: dict[str, Any], output: Path | None) -> Any:
    """Call, with a progress bar on the terminal while a file is fetched."""
    return client.action(**made) if output is None else _with_bar(client.action, **made)


def _with_bar(fetch: Callable[..., Any], **made: Any) -> Any:
    if not sys.stderr.isatty():
        return fetch(**made)
    bar: AbstractContextManager[Tell] = later("terminal:progress_bar", "bytes")
    with bar as tell:
        return fetch(**made, progress=lambda state: tell(state.done, state.total))


def _finish(state: State, result: Any, options: dict[str, Any]) -> None:
    if isinstance(result, Document):
        state.visit(result)
    narrowed = filter_of(options["expression"])
    _print(narrowed(result) if narrowed else result, options, narrowed is not None)


def _print(result: Any, options: dict[str, Any], is_part: bool = False) -> None:
    """Print or save a result; a text that is part of one is a line of its own."""
    output, paths, form = options["output"], _paths(options["select"]), options["form"]
    if form is not None or paths:
        check_data(result)
    if form in (None, "json"):
        shown = selected(result, paths) if paths else result
        if are_parts_of_items(result, paths):
            note("--select names parts of the whole answer. For parts of its items, add --all.")
        if output is not None:
            save(shown, output)
        elif form is None:
            is_line = (paths or is_part) and isinstance(shown, str)
            print_result(f"{shown}\n" if is_line else shown)
        else:
            print_json(shown)
        return
    with _sink(output) as write:
        write_items(rows_of(result), form, write, paths)


def _write_pages(pages: Any, options: dict[str, Any]) -> None:
    form = options["form"] or "json"
    # Items printed on a terminal show the progress themselves.
    waits = options["output"] is not None or not on_terminal() or form == "table"
    bar: AbstractContextManager[Tell] = nullcontext(lambda done, total: None)
    if waits and sys.stderr.isatty():
        bar = later("terminal:progress_bar", "items")
    with _sink(options["output"]) as write, bar as tell, catch_warnings():
        simplefilter("always", IncompleteList)
        warnings.showwarning = _noted
        items = _told(pages, tell)
        narrowed = filter_of(options["expression"])
        if narrowed is None:
            write_items(items, form, write, _paths(options["select"]))
            return
        found = narrowed(list(items))
    _print(found, options, is_part=True)


def _noted(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as a note, without what to write in Python."""
    note(str(message).rpartition(": ")[0] or str(message))


def _told(pages: Any, tell: Tell) -> Iterable[Any]:
    for number, item in enumerate(pages, 1):
        tell(number, pages.total)
        yield item


@contextmanager
def _sink(output: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Yield the destination of rows: a file, or standard output."""
    if output is None:
        yield print_text
        return
    with output.open("wb") as file:
        yield file.write


def _paths(text: str | None) -> list[str]:
    return [path.strip() for path in (text or "").split(",") if path.strip()]
