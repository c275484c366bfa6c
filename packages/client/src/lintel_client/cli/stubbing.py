"""The implementation of the command on stubs."""

from pathlib import Path

import click

from lintel_client.cli.display import links_of
from lintel_client.cli.failures import Failure
from lintel_client.cli.output import note, print_text
from lintel_client.cli.session import open_client
from lintel_client.cli.state import State
from lintel_client.cli.wire import Wire
from lintel_client.cli.words import absolute_url
from lintel_client.stubs import (
    RUNTIME,
    python_models,
    python_stubs,
    typescript_schemas,
    typescript_types,
)
from lintel_document.document import Document

__all__ = ["write"]


def write(
    url: str | None,
    format: str | None,
    references: bool,
    output: Path | None,
    language: str,
    models: str | None,
    wire: Wire,
) -> None:
    """Write the types of a document to a file, or to standard output.

    ``language`` is "python", "typescript", or "zod" for TypeScript with schemas.
    """
    _check(output, language, models)
    document = _document(url, format, references, wire)
    text = _text(document, language, models)
    if models and not any(link.answers for _, link in links_of(document)):
        note("This description says nothing about results: name the API's OpenAPI document.")
    if output is None:
        print_text(text.encode())
        return
    output.write_bytes(text.encode())
    if language == "python" and output.suffix == ".pyi":
        _write_module(output.with_suffix(".py"))


def _check(output: Path | None, language: str, models: str | None) -> None:
    if language != "python" and models:
        raise click.UsageError(f"--models writes Python: leave out --{language}, or --models.")
    if language == "zod" and output is not None and output.name.endswith(".d.ts"):
        name = output.with_name(f"{output.name.removesuffix('.d.ts')}.ts")
        raise click.UsageError(f"--zod writes a module, not declarations: name it {name}.")
    if models and output is not None and output.suffix == ".pyi":
        name = output.with_suffix(".py")
        raise click.UsageError(f"--models writes a module, not stubs: name it {name}.")


def _text(document: Document, language: str, models: str | None) -> str:
    if language != "python":
        return (typescript_schemas if language == "zod" else typescript_types)(document)
    return python_models(document, models) if models else python_stubs(document)


def _document(url: str | None, format: str | None, references: bool, wire: Wire) -> Document:
    state = State()
    if url is None:
        return state.document()
    with open_client(state, wire, references=references) as (client, _):
        found = client.get(absolute_url(url), format)
    if not isinstance(found, Document):
        raise Failure(f"{url} did not return an API description")
    return found


def _write_module(path: Path) -> None:
    """Write the module that the stubs describe, unless it exists."""
    if path.exists():
        return
    path.write_text(RUNTIME, encoding="utf-8")
    note(f"{path} is the module that the stubs describe: import Client or AsyncClient from it.")
