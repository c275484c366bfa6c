"""The options of every command that sends requests."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

__all__ = ["Wire", "sends"]


@dataclass(frozen=True, slots=True)
class Wire:
    """How requests are sent and what is shown of them.

    `headers` are as written, "Name: value"; `cert` is a PEM file with certificate and key.
    """

    debug: bool = False
    headers: tuple[str, ...] = ()
    include: bool = False
    verbose: bool = False
    insecure: bool = False
    ca: Path | None = None
    cert: Path | None = None


_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_OPTIONS: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (
        ("--debug",),
        {"is_flag": True, "help": "Print requests and responses, with secrets hidden."},
    ),
    (
        ("-H", "--header", "headers"),
        {
            "metavar": "NAME:VALUE",
            "multiple": True,
            "help": "Send this header, to the host of the call alone.",
        },
    ),
    (
        ("-i", "--include"),
        {"is_flag": True, "help": "Print status and headers of answers on standard error."},
    ),
    (
        ("-v", "--verbose"),
        {"is_flag": True, "help": "Print what each request took on standard error."},
    ),
    (("--insecure",), {"is_flag": True, "help": "Do not check the certificates of servers."}),
    (
        ("--ca",),
        {"metavar": "FILE", "type": _FILE, "help": "Trust the certificates in this file."},
    ),
    (
        ("--cert",),
        {
            "metavar": "FILE",
            "type": _FILE,
            "help": "Prove who asks with this client certificate and its key.",
        },
    ),
]
_NAMES = tuple(Wire.__dataclass_fields__)


def sends(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of sending to a command; they arrive as one argument, `wire`."""

    @wraps(function)
    def collected(**given: Any) -> Any:
        wire = Wire(**{name: given.pop(name) for name in _NAMES})
        return function(wire=wire, **given)

    decorated: Callable[..., Any] = collected
    for names, attributes in reversed(_OPTIONS):
        decorated = click.option(*names, **attributes)(decorated)
    return decorated
