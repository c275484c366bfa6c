"""Python text as a function: the only place where generated text is written and executed.

No value is ever formatted into the text. Objects that the text needs are bound to readable
names (:meth:`Source.bind`), and the text uses the names.
"""

from __future__ import annotations

import builtins
import keyword
import linecache
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

_INDENT = "    "
_LINECACHE_LOCK = Lock()


class Source:
    """Write the text of one function and build the function.

    ``title`` is what tracebacks show as the file name, in angle brackets and the same in every
    process, e.g. ``lintel reading shop.serializers.OrderSerializer``.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._lines: list[str] = []
        self._depth = 0
        self._namespace: dict[str, object] = {}
        self._members: dict[type, object] = {}
        self._locals: set[str] = set()
        self._hoisted: dict[str, str] = {}

    def line(self, text: str = "") -> None:
        """Add one line at the current depth."""
        self._lines.append(f"{_INDENT * self._depth}{text}" if text else "")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Add ``head`` (``if ready:``) and indent what is written inside the ``with``."""
        self.line(head)
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self.line("pass")
        self._depth -= 1

    def bind(self, name: str, value: object) -> str:
        """Make ``value`` available to the text; return the name to write.

        The same object and suggested name give the same result; another object gets ``name_2``.
        """
        wish = _identifier(name)
        candidate, number = wish, 1
        while candidate in self._locals or (
            candidate in self._namespace and self._namespace[candidate] is not value
        ):
            number += 1
            candidate = f"{wish}_{number}"
        self._namespace[candidate] = value
        return candidate

    def members(self, cls: type) -> str:
        """Bind the namespace of a class, the same view each time: ``__dict__`` is a new one."""
        return self.bind(f"{cls.__name__}_namespace", self._members.setdefault(cls, cls.__dict__))

    def local(self, name: str) -> str:
        """Return a fresh name for a local variable of the text."""
        wish = _identifier(name)
        candidate, number = wish, 1
        while candidate in self._locals or candidate in self._namespace:
            number += 1
            candidate = f"{wish}_{number}"
        self._locals.add(candidate)
        return candidate

    def hoist(self, name: str, expression: str) -> str:
        """Evaluate an expression once per serializer; return the name of the result."""
        if expression not in self._hoisted:
            self._hoisted[expression] = self.local(name)
        return self._hoisted[expression]

    @property
    def hoisted(self) -> list[str]:
        """Return the lines that evaluate hoisted expressions, for the outer function."""
        return [f"{name} = {expression}" for expression, name in self._hoisted.items()]

    @property
    def text(self) -> str:
        """Return the text written so far."""
        return "\n".join(self._lines) + "\n"

    def build(self, function: str) -> Callable[..., Any]:
        """Execute the text and return the function with this name."""
        text = self.text
        filename = _register(self.title, text)
        namespace: dict[str, Any] = dict(self._namespace)
        exec(compile(text, filename, "exec"), namespace)
        built: Callable[..., Any] = namespace[function]
        return built


@lru_cache(maxsize=4096)
def _identifier(name: str) -> str:
    # Python normalizes letters that look alike, so other letters are left out.
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    reserved = cleaned.startswith("__") or hasattr(builtins, cleaned)
    return cleaned if not reserved and is_plain_name(cleaned) else f"_{cleaned.lstrip('_')}_"


def is_plain_name(name: str) -> bool:
    """Return whether a name can be written unchanged, as an attribute or between quotes."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


def _lines_of(filename: str) -> object:
    # A lazy entry of another module has one member, a loader, and no lines yet.
    entry: tuple[object, ...] = linecache.cache[filename]
    return entry[2] if len(entry) > 2 else None


def _register(title: str, text: str) -> str:
    """Store the text where tracebacks look for it; equal texts share an entry.

    An mtime of None keeps ``linecache.checkcache`` from dropping the entry.
    """
    lines = text.splitlines(keepends=True)
    with _LINECACHE_LOCK:
        filename, number = f"<{title}>", 1
        while filename in linecache.cache and _lines_of(filename) != lines:
            number += 1
            filename = f"<{title}-{number}>"
        linecache.cache[filename] = (len(text), None, lines, filename)
    return filename
