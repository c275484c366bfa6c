"""Warrants: the facts on which a kept thing rests, and whether all of them still hold.

A warrant is a generated function, ``still_holds()``: a chain of identity tests, about 12 ns each.
It looks methods up as a call does, so it notices monkeypatches on any class in the MRO. Attributes
changed *in place* on a declared field have no effect on the plain path either, because each
serializer makes its fields from their arguments.

A warrant must hold when it is made. One that never does, because an attribute is missing or is a
new object at each access, makes its owner start over at each use.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType, MappingProxyType
from typing import Any

from lintel.provenance import OURS, package_of
from lintel.trust.source import Source
from lintel.trust.tags import unless_tagged

#: A class and the name that is looked up on it.
Lookup = tuple[type, str]


def warrant(
    title: str,
    lookups: Iterable[Lookup] = (),
    contents: Iterable[tuple[object, str]] = (),
    others: Iterable[Callable[[], bool]] = (),
    classes: Iterable[type] = (),
    known: Iterable[type] = (),
    entries: Iterable[tuple[object, str]] = (),
    containers: Iterable[object] = (),
    sizes: Iterable[type] = (),
    defined: Iterable[Lookup] = (),
) -> Callable[[], bool]:
    """Return a function that returns whether everything is the same as now:

    * ``lookups``, classes and names: the class leads to the same object;
    * ``entries``, objects and names: the attribute is the same object;
    * ``contents``, objects or dicts, and names: the attribute or entry has equal contents, as have
      ``containers``;
    * ``classes``: they and their bases have the same attributes (``known`` are checked elsewhere);
    * ``sizes``, classes: they have the same bases, and as many attributes of their own (those that
      are not Django's: the same ones);
    * ``defined``, classes and names: the class itself holds the same object there (a lookup
      in its namespace leaves the interpreter's cache of attributes to others);
    * ``others``: these warrants hold.
    """
    counted = [cls for cls in bases(classes) if cls not in set(known)]
    looked_up = [*_needed(lookups, {*counted, *known})]
    tagged = [lookup for lookup in looked_up if _has_place(*lookup)]
    defined, sizes = [*dict.fromkeys(defined)], [*sizes]
    of_classes = Source(f"lintel warrant {title}")
    tests_of_classes = [
        *(_lookup_test(of_classes, *lookup) for lookup in tagged),
        *(test for cls in counted for test in _class_tests(of_classes, cls)),
        *(_defined_test(of_classes, *place) for place in defined),
        *_size_tests(of_classes, sizes),
    ]
    owners = [*counted, *sizes, *(cls for cls, _ in (*tagged, *defined))]
    owners += [type(cls) for cls, _ in tagged if type(cls) is not type]
    compare = _function_of(of_classes, tests_of_classes)
    still_hold = unless_tagged(owners, compare) if owners else None
    source = Source(f"lintel warrant {title}")
    tests = [f"{source.bind('classes_still_hold', still_hold)}()"] if still_hold else []
    tests += [_lookup_test(source, *lookup) for lookup in looked_up if lookup not in tagged]
    tests += [_attribute_test(source, "owner", *entry) for entry in entries]
    tests += [_container_test(source, one) for one in containers]
    tests += _content_tests(source, list(contents))
    tests += [f"{source.bind('inner_still_holds', other)}()" for other in dict.fromkeys(others)]
    return _function_of(source, tests)


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


def _needed(lookups: Iterable[Lookup], known: set[type]) -> Iterator[Lookup]:
    for cls, name in dict.fromkeys(lookups):
        # A class with unchanged attributes and bases inherits the same.
        if cls is not object and not (cls in known and name not in vars(cls)):
            yield cls, name


def _has_place(cls: type, name: str) -> bool:
    """Return whether nothing but the namespaces of a class and its bases decides a look-up."""
    held = next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)
    metaclass: Any = type(cls)
    is_plain = metaclass.__getattribute__ is type.__getattribute__ and not any(
        name in vars(each) for each in metaclass.__mro__ if each not in (type, object)
    )
    return is_plain and held is not None and not type(held).__flags__ & _MADE_AT_RUN_TIME


#: ``Py_TPFLAGS_HEAPTYPE``: the class of such an object may become a descriptor.
_MADE_AT_RUN_TIME = 1 << 9


def _class_tests(source: Source, cls: type) -> list[str]:
    if package_of(cls) == OURS:
        return [_count_test(source, cls)]
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
    definer = next((each for each in cls.__mro__ if name in vars(each)), cls)
    held = vars(definer).get(name)
    is_called = isinstance(getattr(type(held), "__get__", None), FunctionType)
    if is_called or (held is not None and _is_new_each_time(cls, name)):
        # A descriptor written in Python: a lookup would call it. Or one that is bound anew at each
        # access, so that only equality could be tested: proxies equal what they wrap.
        before = cls.__mro__[: cls.__mro__.index(definer)]
        tests = [f'"{name}" not in {source.bind("container", vars(each))}' for each in before]
        tests += [_attribute_test(source, "owner", cls, "__mro__")] if before else ()
        value = source.bind(f"{definer.__name__}_{name}", held)
        return " and ".join([*tests, f'{source.members(definer)}["{name}"] is {value}'])
    return _attribute_test(source, cls.__name__, cls, name)


def _is_new_each_time(cls: type, name: str) -> bool:
    return getattr(cls, name, None) is not getattr(cls, name, None)


def _attribute_test(source: Source, title: str, owner: object, name: str) -> str:
    found = getattr(owner, name, None)
    # A class method is bound anew at each access.
    same = "is" if found is getattr(owner, name, None) else "=="
    value = source.bind(f"{title}_{name}", found)
    return f"{source.bind(title, owner)}.{name} {same} {value}"


def bases(classes: Iterable[type]) -> list[type]:
    found = dict.fromkeys(base for cls in classes for base in cls.__mro__)
    return [cls for cls in found if cls.__module__ not in ("builtins", "typing", "abc")]


def _count_test(source: Source, cls: type) -> str:
    # Lookups notice replacements under the same name; this notices additions before it.
    return f"len({source.members(cls)}) == {len(cls.__dict__)}"


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


def _defined_test(source: Source, cls: type, name: str) -> str:
    value = source.bind(f"{cls.__name__}_{name}", vars(cls)[name])
    return f'{source.members(cls)}["{name}"] is {value}'


def _size_tests(source: Source, classes: list[type]) -> list[str]:
    if not classes:
        return []
    namespaces = [cls.__dict__ for cls in classes]
    sizes = f"[*map(len, {source.bind('namespaces', namespaces)})]"
    order_of = source.bind("order_of", _order_of)
    orders = f"[*map({order_of}, {source.bind('classes', classes)})]"
    return [
        f"{sizes} == {source.bind('sizes_then', [*map(len, namespaces)])}",
        f"{orders} == {source.bind('orders_then', [*map(_order_of, classes)])}",
        # In one of these, a function may take the place of another.
        *(_names_test(source, cls) for cls in classes if package_of(cls) != "django"),
    ]


_order_of = type.__dict__["__mro__"].__get__


def _copied(value: object) -> object:
    """Return the contents in new containers, to notice changes in place."""
    if isinstance(value, dict | MappingProxyType):
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    if type(value) is tuple:
        return tuple(_copied(item) for item in value)
    return set(value) if type(value) is set else value
