"""Operations in Python's types: a class for each, found through typed dictionaries of keys."""

import re
from collections.abc import Callable, Iterator, Sequence

from lintel_client.stubs.kinds import Kind
from lintel_client.stubs.reading import Operation

__all__ = ["TreeWriter"]

Spelled = Callable[[Kind], str]
# Names of the head of a stub.
TAKEN = ("_Document", "_calls", "_lintel")


class TreeWriter:
    """Writes the operations of one client; ``spelled`` writes a type."""

    def __init__(self, spelled: Spelled, family: str) -> None:
        self._spelled, self._family = spelled, family
        self._taken = set(TAKEN)

    def lines(self, operations: Sequence[Operation]) -> Iterator[str]:
        """Return the classes of the operations, then the client that leads to them."""
        tree: dict[str, object] = {}
        for operation in operations:
            name = self._free(operation.keys)
            yield from ["", f"class {name}({', '.join(self._bases(operation))}, Protocol):"]
            yield f"    {operation.summary!a}" if operation.summary else "    ..."
            _plant(tree, operation.keys, name)
        root = self._free(("operations",))
        yield from self._groups(root, (), tree)
        yield from ["", f"class {self._family}Client(_lintel.{self._family}Client):"]
        yield f"    def operations(self, document: _Document) -> {root}: ..."

    def _bases(self, operation: Operation) -> Iterator[str]:
        needed = "" if operation.required else "Optional"
        params = " | ".join(map(self._spelled, operation.params))
        result = self._spelled(operation.result)
        result = f"Coroutine[Any, Any, {result}]" if self._family else result
        yield f"_calls.{needed}Call[{params}, {result}]"
        for kind, base, made in (
            (operation.item, "Listing", "Pages"),
            (operation.streamed, "Streaming", "Stream"),
        ):
            if kind is not None:
                yielded = f"_lintel.{self._family}{made}[{self._spelled(kind)}]"
                yield f"_calls.{needed}{base}[{params}, {yielded}]"

    def _groups(self, name: str, path: tuple[str, ...], tree: dict[str, object]) -> Iterator[str]:
        """Return the typed dictionary of a group of keys, after those of the groups below it."""
        members = []
        for key, inner in tree.items():
            kind = inner if isinstance(inner, str) else self._free((*path, key, "group"))
            members.append(f'    {key!a}: "{kind}",')
            if isinstance(inner, dict):
                yield from self._groups(kind, (*path, key), inner)
        yield from ["", f'{name} = TypedDict("{name}", {{', *members, "})"]

    def _free(self, keys: Sequence[str | int]) -> str:
        words = re.findall(r"[A-Za-z0-9]+", " ".join(map(str, keys)))
        joined = "".join(word[0].upper() + word[1:] for word in words)[:80]
        name, number = f"_{self._family}{joined}", 2
        while name in self._taken:
            name, number = f"_{self._family}{joined}_{number}", number + 1
        self._taken.add(name)
        return name


def _plant(tree: dict[str, object], keys: Sequence[str | int], name: str) -> None:
    """Put an operation into the tree; typed dictionaries have no numbers, so all below is Any."""
    for key, following in zip(keys, (*keys[1:], None), strict=True):
        if following is None or isinstance(following, int):
            tree[str(key)] = name if following is None else "Any"
            return
        inner = tree.setdefault(str(key), {})
        if not isinstance(inner, dict):
            return
        tree = inner
