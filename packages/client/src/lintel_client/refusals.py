"""The content of an error's body: messages by name, and a code.

Supported are the four forms of our services (messages by field, a ``detail``, a list of messages,
a list of such objects), problem details (RFC 9457) with the lists that services add to them, and
anything else as far as possible.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lintel_document.agents.messages import GENERAL, LISTS, TEXTS
from lintel_document.document import Array, Error
from lintel_document.pointers import steps_of

if TYPE_CHECKING:
    from lintel_client.messages import AsyncResponse, Request, Response

__all__ = [
    "NO_NAMES",
    "ParameterNames",
    "code_of",
    "messages_by_name",
    "note_refusal",
    "text_of",
]

PROBLEM = "application/problem+json"
PLACES = ("parameter", "pointer", "name", "field", "property", "header", "path")

LONGEST_TEXT = 10_000
DEEPEST = 20
"""How deep messages may be nested."""

_Named = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ParameterNames:
    """The names that a caller gave, and the one among them that is the whole body, if any.

    ``renamed`` maps names on the wire to the names that callers use instead.
    """

    given: tuple[str, ...] = ()
    body: str = ""
    renamed: tuple[tuple[str, str], ...] = ()

    def caller_s(self, name: str, message: str) -> _Named:
        """Return the caller's name for the server's ``name``, and the message under it."""
        name = dict(self.renamed).get(name, name)
        if name in self.given:
            return name, message
        for given in self.given:
            if given.lower() == name.lower() or given.partition(".")[2] == name:
                return given, message
        if self.body and name == "messages":
            return self.body, message
        if self.body and name not in GENERAL:
            return self.body, f"{name}: {message}"
        return name, message


NO_NAMES = ParameterNames()


def messages_by_name(
    error: Error, content_type: str = "", names: ParameterNames = NO_NAMES
) -> dict[str, list[str]]:
    """Return the messages of an error by the caller's names, in the order of the content."""
    found: dict[str, list[str]] = {}
    for name, message in _named(error, content_type):
        own, text = names.caller_s(name, message)
        found.setdefault(own, []).append(text)
    return found


def text_of(error: Error, content_type: str = "") -> str:
    """Return an error as lines for people, of a long one the beginning."""
    found: dict[str, list[str]] = {}
    size = 0
    for name, message in _named(error, content_type):
        found.setdefault(name, []).append(f"{name}: {message}"[:LONGEST_TEXT])
        size += len(name) + len(message)
        if size > LONGEST_TEXT:
            break
    lines = [error.title] if error.title else []
    lines += [line for texts in found.values() for line in texts]
    return "\n".join(lines) or "The server responded with an error"


def note_refusal(sent: "Request", response: "Response | AsyncResponse") -> None:
    """Let a response of 401 say that the credentials of its request were refused."""
    if response.status == 401 and not response.refused:
        response.refused = f"The credentials for {urlsplit(sent.url).netloc} were refused"


def code_of(error: Error, content_type: str = "") -> str | None:
    """Return the machine-readable code of an error, None without one.

    It is the member ``code``, at the top or in an object ``error``; a text in ``error`` (RFC 6749,
    5.2); or the end of a problem's type.
    """
    inner = error.get("error")
    places = [error, inner] if isinstance(inner, Mapping) else [error]
    for place in places:
        code = place.get("code")
        if isinstance(code, str | int) and not isinstance(code, bool):
            return str(code)
    if isinstance(inner, str) and inner.isidentifier():
        return inner
    return _type_name(error.get("type")) if _is_problem(content_type) else None


def _type_name(kind: Any) -> str | None:
    if not isinstance(kind, str) or kind in ("", "about:blank"):
        return None
    return kind.rstrip("/#").replace("#", "/").replace(":", "/").rpartition("/")[2] or None


def _is_problem(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == PROBLEM


def _named(error: Error, content_type: str) -> Iterator[_Named]:
    return _problem(error) if _is_problem(content_type) else _members(error)


def _members(content: Mapping[str, Any]) -> Iterator[_Named]:
    for name, value in content.items():
        for message in _messages(value):
            yield name, message


def _messages(value: object, depth: int = 0) -> Iterator[str]:
    """Yield messages of nested values; those of objects start with their key or position."""
    if isinstance(value, str):
        yield value
        return
    if depth > DEEPEST:
        return
    for start, inner in _parts(value):
        for message in _messages(inner, depth + 1):
            yield start + message


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((f"{key}: ", inner) for key, inner in value.items())
    elif isinstance(value, Array | list):
        for position, item in enumerate(value):
            yield f"{position}: " if isinstance(item, Mapping) else "", item


def _problem(error: Error) -> Iterator[_Named]:
    """Return messages of problem details: of the listed errors, else of the whole."""
    is_listed = False
    for member in LISTS:
        for named in _listed(error.get(member)):
            is_listed = True
            yield named
    detail = error.get("detail")
    if isinstance(detail, str) and not is_listed:
        yield "detail", detail


def _listed(errors: object) -> Iterator[_Named]:
    if isinstance(errors, Mapping):
        yield from _members(errors)
    for item in errors if isinstance(errors, Array | list) else ():
        if isinstance(item, str):
            yield "messages", item
        elif isinstance(item, Mapping):
            yield _one_error(item)


def _one_error(item: Mapping[str, Any]) -> _Named:
    text = next((item[key] for key in TEXTS if isinstance(item.get(key), str)), "Invalid.")
    place = next((item[key] for key in PLACES if isinstance(item.get(key), str)), "")
    first, *rest = steps_of(place) or ["non_field_errors"]
    return first, ": ".join([*rest, text])
