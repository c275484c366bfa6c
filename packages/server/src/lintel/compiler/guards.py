"""Guards: whether what a plan was made from is still what it was.

A guard is generated text as well: a chain of identity tests, about 25 ns each. It looks methods up
the way a call does, so a monkeypatch on any class in the line of inheritance is seen. Not seen is
an attribute that is changed on a declared field *in place* after the first use of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

from lintel.compiler.source import Source

#: A class and the name of what is looked up on it.
Lookup = tuple[type, str]


def guard(
    title: str,
    lookups: Iterable[Lookup],
    contents: Iterable[Callable[[], Any]] = (),
    others: Iterable[Callable[[], bool]] = (),
) -> Callable[[], bool]:
    """A function that answers whether everything is as it is now.

    ``lookups`` lead to the same objects, ``contents()`` is equal, and ``others`` agree.
    """
    source = Source(f"lintel guard {title}")
    tests = [_lookup_test(source, cls, name) for cls, name in dict.fromkeys(lookups)]
    tests += [_content_test(source, owner) for owner in contents]
    tests += [f"{source.bind('is_current_inside', other)}()" for other in dict.fromkeys(others)]
    with source.block("def is_current():"), source.block("return ("):
        source.line("True")
        for test in tests:
            source.line(f"and {test}")
    source.line("    )")
    return source.build("is_current")


def definitions(cls: type, method: str) -> list[Lookup]:
    """The lookups that tell whether ``cls.method``, and what it may call by super(), changed."""
    owners = [owner for owner in cls.__mro__ if method in vars(owner)]
    return [(cls, method), *((owner, method) for owner in owners[1:])]


def _lookup_test(source: Source, cls: type, name: str) -> str:
    owner = source.bind(cls.__name__, cls)
    found = source.bind(f"{cls.__name__}_{name}", getattr(cls, name, None))
    return f"{owner}.{name} is {found}"


def _content_test(source: Source, owner: Any) -> str:
    now = source.bind("contents", owner)
    then = source.bind("contents_then", snapshot(owner))
    return f"{now}() == {then}"


def snapshot(contents: Callable[[], Any]) -> Any:
    """The contents with fresh containers, so that a change in place is seen."""
    return _copied(contents())


def _copied(value: Any) -> Any:
    if isinstance(value, dict | MappingProxyType):
        return {key: _copied(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(item) for item in value)
    return set(value) if type(value) is set else value
