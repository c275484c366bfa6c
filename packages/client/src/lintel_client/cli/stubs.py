"""The command that writes the types of an API."""

from pathlib import Path
from typing import Any

import click

from lintel_client.cli.descriptions import FORMAT, REFERENCES
from lintel_client.cli.failures import Command
from lintel_client.cli.later import later
from lintel_client.cli.wire import Wire, sends

__all__ = ["stubs"]


STYLES = ("dataclasses", "attrs", "pydantic")


class _StyleOrURL(click.Choice[str]):
    """A style, or else the URL of a description: the style may be left out before it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_place = any(mark in value for mark in "/.:")
        return value if is_place else super().convert(value, param, ctx)


@click.command(cls=Command)
@click.argument("url", required=False)
@FORMAT
@REFERENCES
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--typescript", is_flag=True, help="Types for the npm package lintel-client.")
@click.option("--zod", is_flag=True, help="TypeScript with schemas for zod, and a checking client.")
@click.option(
    "--models",
    type=_StyleOrURL(STYLES),
    is_flag=False,
    flag_value="dataclasses",
    help="A Python module with classes for bodies and results: dataclasses, or of this library.",
)
@sends
def stubs(
    url: str | None,
    format: str | None,
    references: bool,
    output: Path | None,
    typescript: bool,
    zod: bool,
    models: str | None,
    wire: Wire,
) -> None:
    """Write the types of an API, for editors and type checkers.

    The API is the one at URL, or that of the current document.

    For Python, -o api.pyi writes stubs, and api.py beside them unless it exists. Import Client or
    AsyncClient from api, and editors know the operations of client.operations(document).

    With --models, -o api.py writes one module: results are objects of its classes, and so may
    bodies be: lintel stubs URL --models -o api.py

    With --zod, -o api.ts writes types and schemas: checked(new Client()) checks what it sends and
    what it receives: lintel stubs URL --zod -o api.ts
    """
    if models is not None and models not in STYLES:
        if url is not None:
            raise click.UsageError(
                f"--models takes one of {', '.join(STYLES)}, and one URL follows."
            )
        url, models = models, "dataclasses"
    language = "zod" if zod else "typescript" if typescript else "python"
    arguments: tuple[Any, ...] = (url, format, references, output, language, models, wire)
    later("stubbing:write", *arguments)
