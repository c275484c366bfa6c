"""Python text as a function: the only place where generated text is written and executed.

No value is ever formatted into the text. Objects that the text needs are bound to readable
names (:meth:`Source.bind`), and the text uses the names.
"""

import builtins
import keyword
import linecache
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
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
        self._lines.append(f"{_INDENT * self._depth}{text}" if text else "")

    def lines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.line(text)

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
        """Return the name to write: this one, or ``name_2`` if that is another object."""
        bound = next(
            wish
            for wish in _wishes(name)
            if wish not in self._locals and self._namespace.get(wish, value) is value
        )
        self._namespace[bound] = value
        return bound

    def members(self, cls: type) -> str:
        """Bind the namespace of a class, the same view each time: ``__dict__`` is a new one."""
        return self.bind(f"{cls.__name__}_namespace", self._members.setdefault(cls, cls.__dict__))

    def local(self, name: str) -> str:
        unbound = (wish for wish in _wishes(name) if wish not in self._namespace)
        fresh = next(wish for wish in unbound if wish not in self._locals)
        self._locals.add(fresh)
        return fresh

    def hoist(self, name: str, expression: str) -> str:
        """Evaluate an expression once per serializer; return the name of the result."""
        if expression not in self._hoisted:
            self._hoisted[expression] = self.local(name)
        return self._hoisted[expression]

    @property
    def hoisted(self) -> list[str]:
        """The lines that evaluate hoisted expressions, for the outer function."""
        return [f"{name} = {expression}" for expression, name in self._hoisted.items()]

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def build(self, function: str) -> Callable[..., Any]:
        text = self.text
        # Sentry shows the lines of functions whose module has a name.
        namespace: dict[str, Any] = {"__name__": f"<{self.title}>", **self._namespace}
        exec(compile(text, _register(self.title, text), "exec"), namespace)
        return namespace[function]


def _wishes(name: str) -> Iterator[str]:
    wish = _identifier(name)
    yield wish
    yield from (f"{wish}_{number}" for number in count(2))


@lru_cache(maxsize=4096)
def _identifier(name: str) -> str:
    # Python normalizes letters that look alike, so other letters are left out.
    cleaned = re.sub(r"\W", "_", name, flags=re.ASCII)
    reserved = cleaned.startswith("__") or hasattr(builtins, cleaned)
    return cleaned if not reserved and is_identifier(cleaned) else f"_{cleaned.lstrip('_')}_"


def is_identifier(name: str) -> bool:
    """Return whether a name can be written unchanged, as an attribute or between quotes."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


def _register(title: str, text: str) -> str:
    """Store the text where tracebacks look for it; equal texts share an entry.

    An mtime of None keeps ``linecache.checkcache`` from dropping the entry.
    """
    lines = text.splitlines(keepends=True)
    with _LINECACHE_LOCK:
        filename, number = f"<{title}>", 1
        # A lazy entry of another module has one member, a loader, and no lines yet.
        while filename in linecache.cache and linecache.cache[filename][2:3] != (lines,):
            number += 1
            filename = f"<{title}-{number}>"
        linecache.cache[filename] = (len(text), None, lines, filename)
    return filename
