"""Warrants: the facts on which a kept thing rests, and whether all of them still hold.

A warrant is a generated function, ``still_holds()``: a chain of tests. It looks methods up as a
call does, so it notices monkeypatches on any class in the MRO; as long as the version tags of the
classes are the same (:mod:`lintel.trust.tags`), it need not. Attributes changed *in place* on a
declared field have no effect on the plain path either, because each serializer makes its fields
from their arguments.

A warrant must hold when it is made. One that never does, because an attribute is missing or is a
new object at each access, makes its owner start over at each use.
"""

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MappingProxyType
from typing import Any

from lintel.overrides import OURS, package_of
from lintel.trust.source import Source
from lintel.trust.tags import HAS_TAGS, NUMBER, Tags

#: A class and the name that is looked up on it.
Lookup = tuple[type, str]


def warrant(
    title: str,
    lookups: Iterable[Lookup] = (),
    contents: Iterable[tuple[object, str]] = (),
    others: Iterable[Callable[[], bool]] = (),
    classes: Iterable[type] = (),
    entries: Iterable[tuple[object, str]] = (),
    containers: Iterable[object] = (),
) -> Callable[[], bool]:
    """Return a function that returns whether everything is the same as now:

    * ``lookups``, classes and names: the class leads to the same object;
    * ``entries``, objects and names: the attribute is the same object;
    * ``contents``, objects or dicts, and names: the attribute or entry has equal contents, as have
      ``containers``;
    * ``classes``: they and their bases have the same attributes;
    * ``others``: these warrants hold.
    """
    counted = bases(classes)
    looked_up = _needed(lookups, set(counted))
    tagged = [lookup for lookup in looked_up if _is_told_by_tags(*lookup)]
    source = Source(f"lintel warrant {title}")
    tests = _tests_of_classes(title, source, counted, tagged)
    tests += [_lookup_test(source, *lookup) for lookup in looked_up if lookup not in tagged]
    tests += [_attribute_test(source, "owner", *entry) for entry in entries]
    tests += [_container_test(source, container) for container in containers]
    tests += _content_tests(source, list(contents))
    tests += [f"{source.bind('inner_still_holds', other)}()" for other in dict.fromkeys(others)]
    return _function_of(source, tests)


def _tests_of_classes(
    title: str, source: Source, counted: list[type], lookups: list[Lookup]
) -> list[str]:
    """Ask for the tags of the classes; compare only if one of them has changed.

    Classes that number their objects change with each new one. So these have tests of their own:
    one for columns, and one for managers, of which each access to a to-many relation makes one.
    """
    parts: dict[type | None, tuple[list[type], list[Lookup]]] = {}
    for cls in counted:
        parts.setdefault(_numbering(cls), ([], []))[0].append(cls)
    for lookup in lookups:
        parts.setdefault(_numbering(lookup[0]), ([], []))[1].append(lookup)
    return [_tags_test(title, source, *part) for part in parts.values()]


def _numbering(cls: type) -> type | None:
    """Return the class, if any, that counts the objects of this one."""
    return next((base for base in cls.__mro__ if "creation_counter" in vars(base)), None)


def _tags_test(title: str, source: Source, counted: list[type], lookups: list[Lookup]) -> str:
    compared = Source(f"lintel warrant {title}")
    tests = [_lookup_test(compared, *lookup) for lookup in lookups]
    tests += [test for cls in counted for test in _class_tests(compared, cls)]
    compare = _function_of(compared, tests)
    if not HAS_TAGS:
        return f"{source.bind('compare', compare)}()"
    looked_at = [cls for cls, _ in lookups]
    tags = Tags([*counted, *looked_at, *map(type, looked_at)], compare)
    state, renewed = source.bind("tags", tags.state), source.bind("renewed", tags.renewed)
    number = source.bind("number", NUMBER)
    return f"([*map({number}, {state}[0])] == {state}[1] or {renewed}())"


def _function_of(source: Source, tests: Iterable[str]) -> Callable[[], bool]:
    with source.block("def still_holds():"):
        with source.block("try:"), source.block("return ("):
            source.line("True")
            for test in tests:
                source.line(f"and {test}")
        source.line("    )")
        # An attribute of an object, or an entry of a namespace, has been deleted.
        with source.block("except (AttributeError, KeyError):"):
            source.line("return False")
    return source.build("still_holds")


def _needed(lookups: Iterable[Lookup], counted: set[type]) -> dict[Lookup, None]:
    """Keep, of each look-up, what the names and the bases of ``counted`` classes do not tell."""
    needed = dict.fromkeys(
        # With unchanged names and bases, it is the same base that has the attribute.
        (_definition(cls, name)[0] if cls in counted else cls, name)
        for cls, name in lookups
    )
    return {
        (cls, name): None
        for cls, name in needed
        if cls is not object and not (cls in counted and name not in vars(cls))
    }


def _is_told_by_tags(cls: type, name: str) -> bool:
    """Return whether nothing but the namespaces of a class and its bases decides a look-up."""
    held = _definition(cls, name)[1]
    if _is_seen_in_namespaces(cls, name, held):
        return True
    metaclass: Any = type(cls)
    is_plain = metaclass.__getattribute__ is type.__getattribute__ and not any(
        name in vars(base) for base in metaclass.__mro__ if base not in (type, object)
    )
    return is_plain and held is not None and not type(held).__flags__ & _MADE_AT_RUN_TIME


#: ``Py_TPFLAGS_HEAPTYPE``: such a class may make descriptors of its objects at any time.
_MADE_AT_RUN_TIME = 1 << 9


def _definition(cls: type, name: str) -> tuple[type, object]:
    definer = next((base for base in cls.__mro__ if name in vars(base)), cls)
    return definer, vars(definer).get(name)


def _is_seen_in_namespaces(cls: type, name: str, held: object) -> bool:
    """Return whether a look-up would call Python code, or bind anew at each access.

    Only equality could be tested of what is bound: proxies equal what they wrap.
    """
    is_called = isinstance(getattr(type(held), "__get__", None), FunctionType)
    return is_called or (held is not None and _is_new_each_time(cls, name))


def _class_tests(source: Source, cls: type) -> list[str]:
    if package_of(cls) == OURS:
        # Lookups notice replacements under the same name; this notices additions before it.
        return [f"len({source.members(cls)}) == {len(cls.__dict__)}"]
    return [_names_test(source, cls), _attribute_test(source, "owner", cls, "__mro__")]


def definitions(cls: type, method: str) -> list[Lookup]:
    """Return lookups that show whether ``cls.method``, or a ``super()`` call in it, changed.

    A definition inserted before these adds an attribute to its class; ``cls`` itself is
    looked up as well, because another attribute may be removed at the same time.
    """
    owners = [owner for owner in cls.__mro__ if method in vars(owner)]
    reached = () if package_of(cls) == OURS else (cls,)
    return [(owner, method) for owner in dict.fromkeys((*reached, *owners))]


def _lookup_test(source: Source, cls: type, name: str) -> str:
    definer, held = _definition(cls, name)
    if not _is_seen_in_namespaces(cls, name, held):
        return _attribute_test(source, cls.__name__, cls, name)
    before = cls.__mro__[: cls.__mro__.index(definer)]
    tests = [f'"{name}" not in {source.bind("container", vars(base))}' for base in before]
    tests += [_attribute_test(source, "owner", cls, "__mro__")] if before else ()
    value = source.bind(f"{definer.__name__}_{name}", held)
    return " and ".join([*tests, f'{source.members(definer)}["{name}"] is {value}'])


def _is_new_each_time(cls: type, name: str) -> bool:
    return getattr(cls, name, None) is not getattr(cls, name, None)


def _attribute_test(source: Source, title: str, owner: object, name: str) -> str:
    attribute = getattr(owner, name, None)
    # A class method is bound anew at each access.
    same = "is" if attribute is getattr(owner, name, None) else "=="
    value = source.bind(f"{title}_{name}", attribute)
    return f"{source.bind(title, owner)}.{name} {same} {value}"


def bases(classes: Iterable[type]) -> list[type]:
    result = dict.fromkeys(base for cls in classes for base in cls.__mro__)
    return [cls for cls in result if cls.__module__ not in ("builtins", "typing", "abc")]


def _names_test(source: Source, cls: type) -> str:
    # One attribute may be removed as another one is added.
    names = source.bind(f"{cls.__name__}_names", frozenset(vars(cls)))
    return f"{source.members(cls)}.keys() == {names}"


def _container_test(source: Source, container: object) -> str:
    then = source.bind("container_then", _copied(container))
    return f"{source.bind('container', container)} == {then}"


def _content_tests(source: Source, contents: Sequence[tuple[object, str]]) -> list[str]:
    # One comparison of all takes half the time of one for each.
    then = tuple(
        _copied(owner[name] if type(owner) is dict else getattr(owner, name))
        for owner, name in contents
    )
    now = "".join(f"{_content(source, *content)}, " for content in contents)
    return [f"({now}) == {source.bind('contents_then', then)}"] if contents else []


def _content(source: Source, owner: object, name: str) -> str:
    bound = source.bind("owner", owner)
    return f'{bound}["{name}"]' if type(owner) is dict else f"{bound}.{name}"


def _copied(value: object) -> object:
    """Return the contents in new containers, to notice changes in place."""
    if isinstance(value, dict | MappingProxyType):
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    if type(value) is tuple:
        return tuple(_copied(item) for item in value)
    return set(value) if type(value) is set else value
