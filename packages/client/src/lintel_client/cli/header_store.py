"""The implementation of the commands on fixed headers."""

from lintel_client.cli.failures import Failure
from lintel_client.cli.output import print_table
from lintel_client.cli.state import State
from lintel_client.headers import checked_header
from lintel_client.origins import Domain
from lintel_client.parameters import FRAMING_HEADERS
from lintel_document.hiding import HIDDEN

__all__ = ["add", "remove", "show"]


def add(domain: str, name: str, value: str) -> None:
    """Send HEADER with VALUE in all requests to DOMAIN."""
    state = State()
    try:
        Domain.parse(domain)
        _, checked = checked_header(name, value)
    except ValueError as error:
        raise Failure(str(error)) from error
    if name.lower() in FRAMING_HEADERS:
        raise Failure(f"The header {name} belongs to each request and cannot be fixed")
    stored = state.headers()
    others = _without(stored.get(domain, {}), name)
    state.save_headers({**stored, domain: {**others, name: checked}})


def remove(domain: str, name: str) -> None:
    """Stop sending HEADER to DOMAIN."""
    state = State()
    stored = state.headers()
    remaining = _without(stored.get(domain, {}), name)
    if len(remaining) == len(stored.get(domain, {})):
        raise Failure(f"There is no header {name!r} for {domain!r}")
    kept = {**stored, domain: remaining}
    state.save_headers({known: fields for known, fields in kept.items() if fields})


def show(reveal: bool) -> None:
    """List the headers by domain."""
    rows = [
        (domain, name, value if reveal else HIDDEN)
        for domain, fields in State().headers().items()
        for name, value in fields.items()
    ]
    print_table(["domain", "header", "value"], rows)


def _without(fields: dict[str, str], name: str) -> dict[str, str]:
    return {known: value for known, value in fields.items() if known.lower() != name.lower()}
