"""Values as text in each style of OpenAPI (3.1.1, 4.8.12, which builds on RFC 6570).

Null, the empty list and the empty object are absent values (RFC 6570, 2.3) and have no
text. Values inside lists and objects are text, numbers or booleans.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from lintel_client.values import as_text, is_list, json_text
from lintel_document.links import Field

__all__ = [
    "cookie_texts",
    "filled",
    "form_encoded",
    "form_pairs",
    "header_text",
    "is_json",
    "path_text",
    "query_texts",
]

Quote = Callable[[str], str]
Items = str | list[str] | dict[str, str]

MAX_DEPTH = 32

_VARIABLE = re.compile(r"\{([^{}/]+)\}")

_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}
# Reserved characters allowed in a query (RFC 3986, 3.4) that do not separate its parameters or mean
# a space in it, and existing escapes.
_RESERVED = ":/?@!$'()*,;"
_ESCAPED = re.compile(r"(%[0-9A-Fa-f]{2})")
# Characters allowed in a cookie value (RFC 6265, section 4.1.1).
COOKIE_SAFE = "!#$&'()*+-./:<=>?@[]^_`{|}~"


def path_text(field: Field, value: Any) -> str | None:
    """Return the percent-encoded text for ``{name}`` in a path."""
    if field.content_type:
        return _quoted(_content_text(field, value))
    items = _items(value)
    if items is None:
        return None
    name, explode = field.sent_name, bool(field.explode)
    if field.style == "matrix":
        return "".join(f";{pair}" for pair in _named_pairs(name, items, explode, _quoted))
    if field.style == "label":
        return "." + _joined(items, "." if explode else ",", explode, _quoted)
    return _joined(items, _quoted(_DELIMITERS.get(field.style, "")) or ",", explode, _quoted)


def query_texts(field: Field, value: Any) -> list[str]:
    """Return the percent-encoded ``name=value`` texts of a query parameter."""
    quoted = _reserved_quoted if field.allow_reserved else _quoted
    return [f"{name}={text}" for name, text in _pairs(field, value, quoted, _quoted)]


def form_pairs(field: Field, value: Any) -> list[tuple[str, str]]:
    """Return names and values of a property of a form, not encoded yet."""
    return _pairs(field, value, str, str)


def header_text(field: Field, value: Any) -> str | None:
    """Return the value of a header; nothing is percent-encoded."""
    if field.content_type:
        return _content_text(field, value, ascii_only=True)
    items = _items(value)
    if items is None:
        return None
    return _joined(items, _DELIMITERS.get(field.style, ","), bool(field.explode), str)


def cookie_texts(field: Field, value: Any) -> list[str]:
    """Return the ``name=value`` texts of a cookie parameter."""
    return [f"{name}={text}" for name, text in _pairs(field, value, _cookie_quoted, str)]


def is_json(media_type: str) -> bool:
    essence = media_type.partition(";")[0].strip().lower()
    return essence == "application/json" or essence.endswith("+json")


def _pairs(field: Field, value: Any, quoted: Quote, quoted_name: Quote) -> list[tuple[str, str]]:
    name = quoted_name(field.sent_name)
    if field.content_type:
        return [(name, quoted(_content_text(field, value)))]
    if field.style == "deepObject" and (isinstance(value, Mapping) or is_list(value)):
        return _deep_pairs(field.sent_name, value, quoted, quoted_name)
    items = _items(value)
    if items is None:
        return []
    # The styles with other delimiters also repeat the name if they explode.
    explode = field.explode is not False
    delimiter = _DELIMITERS.get(field.style)
    if explode and isinstance(items, dict):
        return [(quoted_name(key), quoted(text)) for key, text in items.items()]
    if explode and isinstance(items, list):
        return [(name, quoted(text)) for text in items]
    if delimiter is None:
        return [(name, _joined(items, ",", False, quoted))]
    return [(name, _joined(items, _delimiter_text(delimiter, quoted), False, quoted))]


def _delimiter_text(delimiter: str, quoted: Quote) -> str:
    return delimiter if quoted is str else _quoted(delimiter)


def _deep_pairs(
    name: str, value: Any, quoted: Quote, quoted_name: Quote, depth: int = 0
) -> list[tuple[str, str]]:
    """Return pairs such as color[R]=100; further levels are as servers read them."""
    if depth > MAX_DEPTH:
        raise ValueError("This parameter is nested too deeply.")
    if isinstance(value, Mapping):
        inner = [(f"{name}[{as_text(key)}]", item) for key, item in value.items()]
    elif is_list(value) and depth == 0:
        inner = [(f"{name}[{number}]", item) for number, item in enumerate(value)]
    elif is_list(value):
        inner = [(name, item) for item in value]
    else:
        return [] if value is None else [(quoted_name(name), quoted(as_text(value)))]
    return [
        pair
        for inner_name, item in inner
        for pair in _deep_pairs(inner_name, item, quoted, quoted_name, depth + 1)
    ]


def _named_pairs(name: str, items: Items, explode: bool, quoted: Quote) -> list[str]:
    if explode and isinstance(items, dict):
        return [f"{quoted(key)}={quoted(text)}" for key, text in items.items()]
    texts = items if explode and isinstance(items, list) else [items]
    joined = [_joined(text, ",", False, quoted) for text in texts]
    return [f"{quoted(name)}={text}" if text else quoted(name) for text in joined]


def _joined(items: Items, separator: str, explode: bool, quoted: Quote) -> str:
    if isinstance(items, str):
        return quoted(items)
    if isinstance(items, list):
        return separator.join(quoted(text) for text in items)
    pairs = [(quoted(key), quoted(text)) for key, text in items.items()]
    if explode:
        return separator.join(f"{key}={text}" for key, text in pairs)
    return separator.join(text for pair in pairs for text in pair)


def _items(value: Any) -> Items | None:
    """Return a value as text, list or mapping of texts; None for an absent value."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        kept = {as_text(key): as_text(item) for key, item in value.items() if item is not None}
        return kept or None
    if is_list(value):
        return [as_text(item) for item in value if item is not None] or None
    return as_text(value)


def _content_text(field: Field, value: Any, ascii_only: bool = False) -> str:
    if is_json(field.content_type):
        return json_text(value, ascii_only)
    return as_text(value)


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _reserved_quoted(text: str) -> str:
    parts = _ESCAPED.split(text)
    return "".join(
        part if odd % 2 else quote(part, safe=_RESERVED) for odd, part in enumerate(parts)
    )


def _cookie_quoted(text: str) -> str:
    return quote(text, safe=COOKIE_SAFE)


def form_encoded(pairs: list[tuple[str, str]]) -> str:
    """Return pairs as application/x-www-form-urlencoded."""
    return "&".join(f"{quote_plus(name)}={quote_plus(text)}" for name, text in pairs)


def filled(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with encoded texts in place of the plain variables of their names."""
    if not texts:
        return template
    return _VARIABLE.sub(lambda found: texts.get(found[1], found[0]), template)
