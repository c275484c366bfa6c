"""The implementation of the commands on credentials."""

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
from lintel_document.hiding import HIDDEN

__all__ = ["add", "keep", "remove", "show"]


def add(
    domain: str,
    value: str | dict[str, str],
    form: dict[str, str],
    keyring: bool,
    security: str | None = None,
) -> None:
    """Store a value of the Authorization header, or the source that yields it.

    ``form`` may contain ``auth`` and ``scheme``, see ``lintel_client.cli.sources``. With
    ``security``, the name of a security scheme, the value is sent where that scheme says.
    """
    try:
        Domain.parse(domain)
        if isinstance(value, str):
            text = sys.stdin.readline().rstrip("\n") if value == "-" else value
            value = encoded(text, form.get("auth"), form.get("scheme"))
            checked_header("Authorization", value)
    except ValueError as error:
        raise Failure(str(error)) from error
    keep(State(), domain, value, keyring, security)


def keep(
    state: State,
    domain: str,
    value: str | dict[str, str],
    keyring: bool,
    security: str | None = None,
) -> None:
    """Store a valid entry, a text in the system's keyring if requested."""
    stored: Any = value.strip(" \t") if isinstance(value, str) else value
    if keyring:
        name = "/".join(filter(None, [state.bookmark, domain, security]))
        later("keyrings:keep", name, stored)
        stored = {"keyring": name}
    if security:
        schemes = state.schemes()
        state.save_schemes({**schemes, domain: {**schemes.get(domain, {}), security: stored}})
        return
    state.save_credentials({**state.credentials(), domain: stored})


def remove(domain: str) -> None:
    """Delete the credentials of a domain, in the keyring too."""
    state = State()
    stored, schemes = state.credentials(), state.schemes()
    if domain not in stored and domain not in schemes:
        raise Failure(f"There are no credentials for {domain!r}")
    removed = [stored.pop(domain, None), *schemes.pop(domain, {}).values()]
    state.save_credentials(stored)
    state.save_schemes(schemes)
    for value in removed:
        if isinstance(value, dict) and "keyring" in value:
            later("keyrings:forget", value["keyring"])


def show(reveal: bool) -> None:
    """List the domains that have credentials."""
    state = State()
    rows = [(domain, _shown(value, reveal)) for domain, value in state.credentials().items()]
    for domain, schemes in state.schemes().items():
        for name, value in schemes.items():
            secret = _shown(value, reveal) if reveal or isinstance(value, dict) else HIDDEN
            rows.append((domain, f"{name}: {secret}"))
    print_table(["domain", "credentials"], rows)


def _shown(stored: Any, reveal: bool) -> str:
    if isinstance(stored, dict):
        return shown_source(stored)
    return str(stored) if reveal else hidden_credentials(stored)
