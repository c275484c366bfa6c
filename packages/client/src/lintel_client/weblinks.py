"""The Link header (RFC 8288)."""

import re
from collections.abc import Iterator

from lintel_client.headers import Headers

__all__ = ["link_with_relation"]

_TARGET = re.compile(r"\s*<([^>]*)>")
_PARAMETER = re.compile(r'\s*;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?')


def link_with_relation(headers: Headers, relation: str) -> str | None:
    """Return the target of the first link of a relation, a URL or a relative one; None without.

    Links about something other than the response itself (``anchor``) are ignored.
    """
    for value in headers.get_all("Link"):
        for target, parameters in _links(value):
            relations = parameters.get("rel", "").lower().split()
            if relation in relations and "anchor" not in parameters:
                return target
    return None


def _links(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    at = 0
    while found := _TARGET.match(value, at):
        at = found.end()
        parameters: dict[str, str] = {}
        while parameter := _PARAMETER.match(value, at):
            at = parameter.end()
            # If a parameter is repeated, the first counts (RFC 8288, 3.3).
            parameters.setdefault(parameter[1].lower(), parameter[2] or parameter[3] or "")
        yield found[1], parameters
        at = value.find(",", at) + 1
        if not at:
            return
