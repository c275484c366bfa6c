"""What the commands on credentials do."""

import sys
from typing import Any

from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later
from lintel_client.cli.output import print_table
from lintel_client.cli.redaction import hidden_credentials
from lintel_client.cli.sources import encoded, shown_source
from lintel_client.cli.state import State
from lintel_client.headers import checked_header
from lintel_client.origins import Domain

__all__ = ["add", "keep", "remove", "show"]


def add(domain: str, value: str | dict[str, str], form: dict[str, str], keyring: bool) -> None:
    """Keep a value of the Authorization header, or the source that yields it.

    `form` may hold `auth` and `scheme`, see `lintel_client.cli.sources`.
    """
    try:
        Domain.parse(domain)
        if isinstance(value, str):
            text = sys.stdin.readline().rstrip("\n") if value == "-" else value
            value = encoded(text, form.get("auth"), form.get("scheme"))
            checked_header("Authorization", value)
    except ValueError as error:
        raise Failure(str(error)) from error
    keep(State(), domain, value, keyring)


def keep(state: State, domain: str, value: str | dict[str, str], keyring: bool) -> None:
    """Store what is valid, a text in the keyring of the system where that is wanted."""
    stored: Any = value.strip(" \t") if isinstance(value, str) else value
    if keyring:
        name = f"{state.bookmark}/{domain}" if state.bookmark else domain
        later("keyrings:keep", name, stored)
        stored = {"keyring": name}
    state.save_credentials({**state.credentials(), domain: stored})


def remove(domain: str) -> None:
    """Forget the credentials of a domain, in the keyring too."""
    state = State()
    stored = state.credentials()
    if domain not in stored:
        raise Failure(f"There are no credentials for {domain!r}")
    removed = stored.pop(domain)
    state.save_credentials(stored)
    if isinstance(removed, dict) and "keyring" in removed:
        later("keyrings:forget", removed["keyring"])


def show(reveal: bool) -> None:
    """List the domains that have credentials."""
    rows = [(domain, _shown(value, reveal)) for domain, value in State().credentials().items()]
    print_table(["domain", "credentials"], rows)


def _shown(stored: Any, reveal: bool) -> str:
    if isinstance(stored, dict):
        return shown_source(stored)
    return str(stored) if reveal else hidden_credentials(stored)
