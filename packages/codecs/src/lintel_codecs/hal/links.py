"""Link objects of HAL as links, and back.

HAL describes links to fetch. Other attributes of a link are stored in members that HAL leaves to
extensions: ``method``, ``encoding``, ``transform``, ``description``, and ``x-lintel`` for all
others.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lintel_codecs.issues import Issues, pointer
from lintel_document.extension import EXTENSION, Remainder
from lintel_document.links import Field, Link
from lintel_document.uritemplates import problems, variables, with_query
from lintel_document.urls import relative, resolve

__all__ = [
    "extended",
    "is_fetched",
    "read_accept",
    "read_link",
    "template_fields",
    "written_accept",
    "written_link",
    "written_plainly",
]

_METHOD = re.compile(r"[A-Za-z][A-Za-z-]{0,30}|")
# Attributes of HAL links that the model lacks, as lines of the description.
_LINES = {"deprecation": "Deprecated", "profile": "Profile", "hreflang": "Language"}
_LABELS = {label: member for member, label in _LINES.items()}


def is_fetched(link: Link) -> bool:
    """Return whether plain HAL can express how the link is called: with GET."""
    return link.action.lower() in ("", "get")


# Reading


def read_link(raw: Any, base_url: str, place: str, issues: Issues) -> Link | None:
    """Return a link; None, with an issue, for an invalid one. A bare string is its URL."""
    if isinstance(raw, str):
        issues.add(place, "The link is a string, not an object with an href")
        raw = {"href": raw}
    if not isinstance(raw, Mapping):
        issues.add(place, "The link must be an object")
        return None
    href = raw.get("href")
    if not isinstance(href, str):
        issues.add(pointer(place, "href"), "The link has no URL")
        return None
    for problem in problems(href) if raw.get("templated") is True else ():
        issues.add(pointer(place, "href"), problem)
    return _link(raw, resolve(base_url, href))


def _link(raw: Mapping[str, Any], url: str) -> Link:
    action = raw.get("method")
    return Link(
        url=url,
        action=action.lower() if isinstance(action, str) and _METHOD.fullmatch(action) else "get",
        encoding=_text(raw, "encoding"),
        transform=_text(raw, "transform"),
        title=_text(raw, "title"),
        description=_description(raw),
        fields=template_fields(url),
        deprecated=bool(raw.get("deprecation")),
        accept=read_accept(raw),
    )


def read_accept(raw: Mapping[str, Any]) -> list[str]:
    """Return the media types of responses: ``type``, or several in the member ``accept``."""
    given = raw.get("accept", [raw.get("type")])
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def written_accept(link: Link) -> dict[str, Any]:
    """Return the members that ``read_accept`` reads."""
    first = {"type": link.accept[0]} if link.accept else {}
    return {**first, "accept": list(link.accept)} if len(link.accept) > 1 else first


def template_fields(template: str) -> tuple[Field, ...]:
    """Return a field for each variable of a template."""
    found = {variable.name: variable for variable in variables(template)}
    return tuple(
        Field(name, required=not variable.optional, location="path")
        for name, variable in found.items()
    )


def _description(raw: Mapping[str, Any]) -> str:
    lines = [_text(raw, "description")]
    lines += [f"{label}: {_text(raw, name)}" for name, label in _LINES.items() if _text(raw, name)]
    return "\n".join(filter(None, lines))


# Writing


def written_link(link: Link, base_url: str, remainder: Remainder) -> dict[str, Any]:
    """Return a link object. Readers of plain HAL see URL, template and texts."""
    written = written_plainly(link, base_url)
    return extended(written, link, base_url, read_link, remainder)


def written_plainly(link: Link, base_url: str) -> dict[str, Any]:
    """Return the members that plain HAL has for a link."""
    template = _template(link)
    written: dict[str, Any] = {"href": relative(base_url, template) or template}
    if variables(template):
        written["templated"] = True
    if link.title:
        written["title"] = link.title
    written.update(written_accept(link))
    if link.deprecated:
        written["deprecation"] = True
    written.update(_described(link.description))
    return written


Reader = Callable[[Any, str, str, Issues], Link | None]


def extended(
    written: dict[str, Any], link: Link, base_url: str, read: Reader, remainder: Remainder
) -> dict[str, Any]:
    """Add the members without which ``read`` would lose a part of the link."""
    again = read(written, base_url, "", Issues())
    if again is None or again.action != link.action:
        written["method"] = link.action
    for name in ("encoding", "transform"):
        if getattr(again, name, None) != getattr(link, name):
            written[name] = getattr(link, name)
    if getattr(again, "description", None) != link.description:
        for member in _LINES:
            written.pop(member, None)
        written["description"] = link.description
        if link.deprecated:
            written["deprecation"] = True
    absolute = link.replace(url=resolve(base_url, link.url))
    left = remainder.of_link(absolute, read(written, base_url, "", Issues()))
    if left:
        written[EXTENSION] = left
    return written


def _template(link: Link) -> str:
    names = []
    for field in link.fields:
        if field.location == "query":
            many = getattr(field.schema, "type_name", "") in ("array", "object")
            names.append(field.sent_name + "*" * many)
    return with_query(link.url, names)


def _described(description: str) -> dict[str, Any]:
    """Return the members in the last lines of a description, and the rest of it."""
    lines = description.split("\n")
    members: dict[str, Any] = {}
    while lines:
        label, colon, value = lines[-1].partition(": ")
        if not (colon and value and label in _LABELS and _LABELS[label] not in members):
            break
        members[_LABELS[label]] = value
        lines.pop()
    text = "\n".join(lines)
    return {"description": text, **members} if text else members


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    return value if isinstance(value, str) else ""
