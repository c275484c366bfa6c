"""What URL patterns say about endpoints: their versions, and the types of arguments."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

from django.urls import URLPattern, URLResolver
from django.urls.resolvers import LocalePrefixPattern, RegexPattern, RoutePattern

from lintel import exceptions
from lintel.fields.describing import Schema
from lintel.schemas.errors import is_subclass
from lintel.schemas.generators import BaseSchemaGenerator, Callback, Endpoint
from lintel.schemas.tree import ResponseDescription, replace
from lintel.versioning import AcceptHeaderVersioning, NamespaceVersioning, URLPathVersioning
from lintel.views import APIView

Pattern: TypeAlias = RegexPattern | RoutePattern | LocalePrefixPattern


class Place(NamedTuple):
    """The position of an endpoint: the namespaces and patterns around it, outermost first."""

    namespaces: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()


NOWHERE = Place()


def converters_of(patterns: Iterable[URLPattern | URLResolver]) -> dict[object, Schema]:
    """Return converters by callback and argument; None for an argument whose routes disagree."""
    result: dict[object, Schema] = {}
    for _, callback, place in places(patterns):
        if not hasattr(callback, "cls"):
            continue  # no view of an API
        here = dict(chain.from_iterable(map(_arguments, place.patterns)))
        before = result.setdefault(callback, here)
        for name, converter in here.items():
            if type(before.setdefault(name, converter)) is not type(converter):
                before[name] = None
    return result


_GROUP = re.compile(r"\(\?P<(\w+)>")


def _arguments(pattern: Pattern) -> Iterable[tuple[str, Any]]:
    """Return the arguments of a URL pattern with their converters, without compiling its regex."""
    if isinstance(pattern, RegexPattern):
        return ((name, None) for name in _GROUP.findall(str(pattern)))
    converters: Schema = getattr(pattern, "converters", {})
    return converters.items()


def endpoints_of(
    version: object, generator: BaseSchemaGenerator, endpoints: list[Endpoint]
) -> Iterator[Endpoint]:
    listed = generator.endpoints or ()
    if version is None or len(listed) != len(endpoints):
        yield from endpoints
        return
    enumerator = generator.endpoint_inspector_cls(generator.patterns, generator.urlconf)
    by_callback = {
        (enumerator.get_path_from_regex(route), callback): place
        for route, callback, place in places(enumerator.patterns)
    }
    for (path, _, callback), endpoint in zip(listed, endpoints, strict=True):
        if answers_in(version, endpoint[2], by_callback.get((path, callback), NOWHERE)):
            yield endpoint


def places(
    patterns: Iterable[URLPattern | URLResolver], prefix: str = "", around: Place = NOWHERE
) -> Iterator[tuple[str, Callback, Place]]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        namespace = getattr(pattern, "namespace", None)
        namespaces = (*around.namespaces, namespace) if namespace else around.namespaces
        place = Place(namespaces, (*around.patterns, pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from places(pattern.url_patterns, route, place)
        else:
            yield route, pattern.callback, place


def answers_in(version: object, view: APIView, place: Place) -> bool:
    """Return whether an endpoint exists in a version; one whose URL names none is in all."""
    scheme: Any = getattr(view, "versioning_class", None)
    if is_subclass(scheme, NamespaceVersioning) and place.namespaces:
        match = SimpleNamespace(namespace=":".join(place.namespaces))
        try:
            return bool(
                scheme().determine_version(SimpleNamespace(resolver_match=match)) == version
            )
        except exceptions.NotFound:
            return False
    if is_subclass(scheme, URLPathVersioning):
        return all(accepts(item, str(scheme.version_param), version) for item in place.patterns)
    return True


def accepts(pattern: Pattern, name: str, version: object) -> bool:
    inside = group(pattern.regex.pattern, name)
    try:
        return inside is None or re.fullmatch(inside, str(version)) is not None
    except re.error:  # it refers to groups outside of it
        return True


def group(regex: str, name: str) -> str | None:
    _, opening, rest = regex.partition(f"(?P<{name}>")
    depth = 1 if opening else 0
    # Parentheses that are escaped, or in a character set, are text.
    for match in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", rest):
        depth += {"(": 1, ")": -1}.get(match.group(), 0)
        if opening and depth == 0:
            return rest[: match.start()]
    return None


def with_version(
    responses: Iterable[ResponseDescription], view: APIView, version: object
) -> Iterator[ResponseDescription]:
    scheme: Any = getattr(view, "versioning_class", None)
    if not is_subclass(scheme, AcceptHeaderVersioning):
        yield from responses
        return
    for response in responses:
        content = [
            replace(item, media_type=f"{item.media_type}; {scheme.version_param}={version}")
            for item in response.content or ()
        ]
        yield replace(response, content=tuple(content)) if content else response
