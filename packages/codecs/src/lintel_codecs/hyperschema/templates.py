"""The URL templates of JSON Hyper-Schema, converted to RFC 6570 with readable names.

Draft 04 (section 5.1.1) writes names that RFC 6570 does not allow percent-encoded in parentheses:
``{(%23%2Fdefinitions%2Fapp%2Fdefinitions%2Fidentity)}`` is the value that the schema at
``#/definitions/app/definitions/identity`` describes. ``$`` alone is the instance, ``%65mpty`` the
empty name.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from lintel_codecs.relations import Names
from lintel_document.uritemplates import variables

__all__ = ["Template", "read_template"]

_EXPRESSION = re.compile(r"\{[^{}]*\}")
_PREPROCESSED = re.compile(r"\(([^()]*)\)")
# Some descriptions write the pointer without the parentheses.
_BARE_POINTER = re.compile(r"\{((?:#|%23)(?:/|%2[Ff])[^{}()]*)\}")
_NAME = re.compile(r"(?:[A-Za-z0-9_.\-]|[^\x00-\x7f])+")
_NOT_NAME = re.compile(r"[^A-Za-z0-9_.\-\u0080-\U0010ffff]+")
_STRUCTURE = frozenset({"#", "definitions", "$defs", "properties", ""})
_ALIASES = {"%65mpty": "empty", "%73elf": "self", "$": "self", "": "empty"}
_LONGEST_NAME = 100


@dataclass(slots=True)
class Template:
    """A template of RFC 6570, with the original names of converted variables.

    ``origins`` maps the readable name to the decoded text, such as a pointer.
    """

    url: str
    origins: dict[str, str] = field(default_factory=dict)


def read_template(href: str) -> Template:
    """Return the template of an ``href``; names that mean different values are distinct."""
    template = Template("")
    # The contents of parentheses become names first, so that the rest can be read.
    plain = variables(_PREPROCESSED.sub("0", href))
    names = Names(variable.name for variable in plain)
    known: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        origin = _decoded(found[1])
        if origin not in known:
            known[origin] = names.unused(_readable(origin))
            template.origins[known[origin]] = origin
        return known[origin]

    def rewritten(found: re.Match[str]) -> str:
        bare = _BARE_POINTER.fullmatch(found[0])
        return f"{{{named(bare)}}}" if bare else _PREPROCESSED.sub(named, found[0])

    template.url = _EXPRESSION.sub(rewritten, href)
    return template


def _decoded(text: str) -> str:
    return text if text in _ALIASES else unquote(text)


def _readable(origin: str) -> str:
    """Return ``app_identity`` for ``#/definitions/app/definitions/identity``, else its words."""
    if origin in _ALIASES:
        return _ALIASES[origin]
    if "/" in origin:
        segments = [part for part in re.split(r"[/#]", origin) if part not in _STRUCTURE]
        origin = "_".join(segments)
    name = _NOT_NAME.sub("_", origin).strip("_.")[:_LONGEST_NAME]
    return name if _NAME.fullmatch(name) else "value"
