"""Which view of lintel a path leads to, found by a tree instead of one pattern after the other.

The answer is the one that Django's resolver would give, or None: for views that are not ours, and
for whatever the path alone does not decide (translated patterns, converters of the project, pattern
classes of others, a path that nothing matches). Then Django resolves the request.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.urls import get_resolver, resolvers
from django.urls.resolvers import URLPattern, URLResolver

from lintel.serving.literals import UNKNOWN, Literal, literal_of, matcher
from lintel.serving.resolving import Given
from lintel.serving.tree import Tree, tree_of
from lintel.views import APIView

Match = resolvers.ResolverMatch


class Undecided(Exception):
    """The path alone does not say where it leads."""


class Stale(Exception):
    """A list of patterns, or a view in it, has been replaced."""


class ResolverMatch(Match):
    """A match that finds out only when asked which patterns Django would have tried before."""

    def __init__(self, attributes: dict[str, Any], resolve: Callable[[], Match]) -> None:
        self.__dict__ = attributes
        self._resolve = resolve

    def __iter__(self) -> Iterator[Any]:
        # Django's handler unpacks a match; without this, Python asks for one item after the other.
        return iter((self.func, self.args, self.kwargs))

    def __getattr__(self, name: str) -> Any:
        if name != "tried":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        tried = vars(self)[name] = vars(self._resolve())[name]
        return tried


class Found(NamedTuple):
    """What the patterns of a path say together."""

    endpoint: "Endpoint"
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    captured: dict[str, Any]
    extra: dict[str, Any]


class Endpoint:
    """A pattern with a view."""

    __slots__ = ("attributes", "is_certain", "is_ours", "match", "pattern", "view")

    def __init__(self, pattern: URLPattern, literal: Literal) -> None:
        self.pattern = pattern
        self.match = matcher(pattern.pattern, literal)
        self.is_certain = literal.is_certain
        self.view = pattern.callback
        self.is_ours = is_our_view(self.view)
        #: What every match of this pattern has in common, as Django says.
        self.attributes: dict[str, Any] | None = None

    def find(self, path: str) -> Found | None:
        match = self.match(path)
        if not match:
            return None
        if self.pattern.callback is not self.view:
            raise Stale
        _, args, captured = match
        extra = self.pattern.default_args
        return Found(self, args, {**captured, **extra}, captured, extra)


class Level:
    """A resolver with the tree of its patterns."""

    __slots__ = ("is_certain", "match", "patterns", "resolver", "tree")

    def __init__(self, resolver: URLResolver, literal: Literal) -> None:
        self.resolver = resolver
        self.match = matcher(resolver.pattern, literal)
        # Whether another sequence is still the same one cannot be told by comparing it.
        is_plain = type(resolver.url_patterns) in (list, tuple)
        self.is_certain = literal.is_certain and is_plain
        self.patterns = resolver.url_patterns[:]
        self.tree: Tree[Level | Endpoint | None] = tree_of(map(_entry, self.patterns))

    def find(self, path: str) -> Found | None:
        resolver = self.resolver
        match = self.match(path)
        if not match:
            return None
        if resolver.url_patterns != self.patterns:
            raise Stale
        rest, args, kwargs = match
        for entry in self.tree.candidates(rest):
            if entry is None or not entry.is_certain:
                raise Undecided
            result = entry.find(rest)
            if result is not None:
                return _joined(resolver.default_kwargs, args, kwargs, result)
        return None


def _joined(
    defaults: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any], inner: Found
) -> Found:
    if not kwargs and not defaults and not args:
        return inner
    named = {**kwargs, **defaults, **inner.kwargs}
    positional = inner.args if named else args + inner.args
    return Found(inner.endpoint, positional, named, inner.captured, {**defaults, **inner.extra})


def _entry(pattern: Any) -> tuple[Literal, Level | Endpoint | None]:
    literal = literal_of(getattr(pattern, "pattern", None))
    if type(pattern) is URLPattern:
        return literal, Endpoint(pattern, literal)
    if type(pattern) is URLResolver and literal.is_certain:
        return literal, Level(pattern, literal)
    return (literal, None) if type(pattern) is URLResolver else (UNKNOWN, None)


def is_our_view(view: Any) -> bool:
    cls = getattr(view, "cls", None) or getattr(view, "view_class", None)
    return isinstance(cls, type) and issubclass(cls, APIView)


class Routes:
    """The routes of ROOT_URLCONF; of another one as soon as Django has another resolver."""

    def __init__(self) -> None:
        self._kept: tuple[URLResolver | None, Level | None] = None, None

    def find(self, path: str) -> Match | None:
        """Return the match of a path that leads to a view of lintel; None to ask Django."""
        try:
            return self._find(path)
        except Undecided:
            return None
        except Exception:
            # Something is wrong with the routes, or they have changed: Django says what.
            self._kept = None, None
            return None

    def given(self, path: str) -> Given | None:
        """Return the same for a request."""
        match = self.find(path)
        return None if match is None else Given(path, match, self._kept[0])

    def _find(self, path: str) -> Match | None:
        resolver = get_resolver()
        if "url_patterns" not in vars(resolver):
            return None  # Django imports them, and says what is wrong with them
        kept_for, level = self._kept
        if kept_for is not resolver or level is None:
            level = Level(resolver, literal_of(resolver.pattern))
            self._kept = resolver, level
        if not level.is_certain:
            return None
        place = level.find(path)
        return None if place is None or not place.endpoint.is_ours else _match(place, level, path)


def _match(place: Found, level: Level, path: str) -> Match | None:
    attributes = place.endpoint.attributes
    if attributes is None:
        return _first_match(place, level, path)
    return ResolverMatch(
        {
            **attributes,
            "args": place.args,
            "kwargs": place.kwargs,
            "captured_kwargs": place.captured,
            "extra_kwargs": {**place.extra},
            "app_names": [*attributes["app_names"]],
            "namespaces": [*attributes["namespaces"]],
        },
        lambda: level.resolver.resolve(path),
    )


def _first_match(place: Found, level: Level, path: str) -> Match | None:
    """Let Django resolve the first path of each pattern: what it says of the pattern is kept."""
    match = level.resolver.resolve(path)
    if (match.func, match.args, match.kwargs) == (place.endpoint.view, place.args, place.kwargs):
        attributes = {name: value for name, value in vars(match).items() if name != "tried"}
        place.endpoint.attributes = attributes
    return match
