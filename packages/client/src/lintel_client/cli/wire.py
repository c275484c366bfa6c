"""The options of every command that sends requests."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

__all__ = ["Wire", "sends", "sends_unseen"]


@dataclass(frozen=True, slots=True)
class Wire:
    """How requests are sent, and what is shown of them.

    ``headers`` are as written, "Name: value"; ``cert`` is a PEM file with certificate and key,
    ``retry`` the number of retries of a call, ``api_version`` as written. With ``no_auth``, no
    stored credentials are sent; with ``netrc``, those of ~/.netrc where none are stored. With the
    host of an API as its ``home``, only an API in a private network leads into private networks.
    """

    debug: bool = False
    headers: tuple[str, ...] = ()
    include: bool = False
    verbose: bool = False
    insecure: bool = False
    ca: Path | None = None
    cert: Path | None = None
    retry: int = 0
    api_version: str | None = None
    no_auth: bool = False
    netrc: bool = False
    home: str = ""


_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_Option = tuple[tuple[str, ...], dict[str, Any]]
_OPTIONS: list[_Option] = [
    (
        ("--debug",),
        {"is_flag": True, "help": "Print requests and responses, with secrets hidden."},
    ),
    (
        ("-H", "--header", "headers"),
        {
            "metavar": "NAME:VALUE",
            "multiple": True,
            "help": "Send this header, only to the host of the call.",
        },
    ),
    (
        ("-i", "--include"),
        {"is_flag": True, "help": "Print status and headers of responses on standard error."},
    ),
    (
        ("-v", "--verbose"),
        {"is_flag": True, "help": "Print the time of each request on standard error."},
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
            "help": "Authenticate with this client certificate and its key.",
        },
    ),
    (
        ("--retry",),
        {
            "metavar": "N",
            "type": click.IntRange(0, 100),
            "default": 0,
            "help": "Retry failed calls up to N times if they can safely arrive twice.",
        },
    ),
    (
        ("--api-version",),
        {
            "metavar": "[PLACE[:NAME]=]VERSION",
            "help": "Ask for this version of the API; PLACE is accept, path, query or host.",
        },
    ),
    (
        ("--no-auth",),
        {"is_flag": True, "help": "Send no stored credentials, and do not warn about that."},
    ),
    (
        ("--netrc",),
        {
            "is_flag": True,
            "help": "Send the passwords of ~/.netrc, or the file in NETRC, where none are stored.",
        },
    ),
]
_SHOWING = frozenset({"debug", "include", "verbose"})


def sends(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of sending to a command; it gets them as one argument, ``wire``."""
    return _with_options(function, _OPTIONS)


def sends_unseen(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of sending except those that show what is sent, as ``sends`` does."""
    unseen = [each for each in _OPTIONS if _name(each[0]) not in _SHOWING]
    return _with_options(function, unseen)


def _with_options(function: Callable[..., Any], options: list[_Option]) -> Callable[..., Any]:
    names = [_name(declarations) for declarations, _ in options]

    @wraps(function)
    def collected(**given: Any) -> Any:
        wire = Wire(**{name: given.pop(name) for name in names})
        return function(wire=wire, **given)

    decorated: Callable[..., Any] = collected
    for declarations, attributes in reversed(options):
        decorated = click.option(*declarations, **attributes)(decorated)
    return decorated


def _name(declarations: tuple[str, ...]) -> str:
    return declarations[-1].removeprefix("--").replace("-", "_")
