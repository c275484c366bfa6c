"""HTML of operations, kept beside everything that it is made from.

    facts of an operation ──as text──▶ key ──▶ HTML, written by lintel's own templates alone

The project describes its operations anew for each page; only what its description then
becomes is kept. Other tenants, users or choices have other facts, and so other keys.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from django.core.signals import setting_changed
from django.template import TemplateDoesNotExist, loader
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import get_language

from lintel.renderers.documentation import Item
from lintel_document import Link

#: The most text kept, in characters: about a thousand operations.
MAX_KEPT = 16_000_000

#: Where lintel's own templates are, those of the page, and the one of an operation.
_OWN = Path(__file__).parent.parent / "templates"
_TEMPLATES = [
    path.relative_to(_OWN).as_posix() for path in (_OWN / "rest_framework/docs").rglob("*.html")
]
OPERATION = "rest_framework/docs/link.html"

#: What an item has that other parts of its key are made from.
_DERIVED = frozenset(["link", "parts", "facts", "groups"])


class KeptTexts:
    """HTML by keys, the least used dropped first. Thread-safe."""

    def __init__(self) -> None:
        self.texts: OrderedDict[bytes, SafeString] = OrderedDict()
        self.length = 0
        self.lock = Lock()

    def get(self, key: bytes) -> SafeString | None:
        with self.lock:
            if key in self.texts:
                self.texts.move_to_end(key)
            return self.texts.get(key)

    def put(self, key: bytes, text: SafeString) -> None:
        with self.lock:
            self.length += len(text) - len(self.texts.pop(key, ""))
            self.texts[key] = text
            while self.length > MAX_KEPT:
                self.length -= len(self.texts.popitem(last=False)[1])

    def clear(self, **kwargs: object) -> None:
        with self.lock:
            self.texts.clear()
            self.length = 0


KEPT = KeptTexts()
# Templates and formats of dates depend on settings, which only tests change.
setting_changed.connect(KEPT.clear)


def are_ours(*templates: str) -> bool:
    return all(_OWN in _origin_of(name).parents for name in {*_TEMPLATES, *templates})


def _origin_of(name: str) -> Path:
    try:
        origin = getattr(loader.get_template(name), "origin", None)
    except TemplateDoesNotExist:
        origin = None
    return Path(str(getattr(origin, "name", "")))


def key_of(item: Item, base: str, templates: Sequence[str]) -> bytes | None:
    """Return the key of an operation; None if its facts cannot be written as text."""
    link, parts = item["link"], item["parts"]
    if type(link) is not Link or (parts and not hasattr(parts, "operation")):
        return None
    facts = {name: value for name, value in item.items() if name not in _DERIVED}
    words = link.url, link.action, link.encoding, link.title, link.description
    around = base, templates, get_language(), get_current_timezone_name()
    try:
        details = (dict(parts), parts.operation, parts.examples.digest) if parts else ()
        text = as_text([facts, words, details, around])
    except (TypeError, ValueError, RecursionError):
        return None
    return sha256(text.encode()).digest()


def as_text(value: object) -> str:
    """Return facts as JSON, what it lacks as text. Raises what ``json.dumps`` raises."""
    return json.dumps(value, default=_plain)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)
