"""``lintel.serving`` finds the match that Django's resolver finds, or leaves the path to it."""

from types import ModuleType
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import Resolver404, clear_url_caches, get_resolver, include, path, re_path
from django.urls.resolvers import ResolverMatch, RoutePattern, URLPattern
from django.utils.translation import gettext_lazy
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel.serving.literals import Literal, literal_of
from lintel.serving.routes import Routes
from lintel.serving.tree import tree_of
from lintel.views import APIView


class Ours(APIView):
    pass


class OtherOfOurs(APIView):
    pass


def foreign(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    return HttpResponse()


VIEWS = [Ours.as_view(), OtherOfOurs.as_view(), foreign]

# Few words, so that patterns overlap.
WORDS = st.sampled_from(["a", "ab", "b", "b.c", "1", "a-b", "é"])
ROUTE_PARTS = st.one_of(
    WORDS,
    st.sampled_from(
        ["/", "/", ".", "<x>", "<int:n>", "<slug:s>", "<path:p>", "<uuid:u>", "<str:t>"]
    ),
)
REGEX_PARTS = st.one_of(
    WORDS.map(lambda word: word.replace(".", r"\.")),
    st.sampled_from(["/", "/", r"\.", "(a|b)", "(?P<x>[^/.]+)", "(?P<n>[0-9]+)?", "/?", "b*"]),
    st.sampled_from(["[ab]", "a{1,2}", "a|b", r"\w+", "(?:b/)?", "(?=a)", "[|)]", r"\|", r"\("]),
)
DEFAULTS = st.sampled_from([None, {}, {"x": "default"}, {"extra": 1}])
NAMES = st.sampled_from([None, "name", "other"])


def joined(parts: Any, most: int = 4) -> Any:
    return st.lists(parts, max_size=most).map("".join)


def as_route(text: str) -> str:
    """Django refuses a parameter that occurs twice."""
    for name in ("<x>", "<int:n>", "<slug:s>", "<path:p>", "<uuid:u>", "<str:t>"):
        first, found, rest = text.partition(name)
        text = first + found + rest.replace(name, "b")
    return text


def as_regex(start: str, text: str, end: str) -> str:
    for name in ("(?P<x>[^/.]+)", "(?P<n>[0-9]+)?"):
        first, found, rest = text.partition(name)
        text = first + found + rest.replace(name, "a")
    return start + text + end


ROUTES = joined(ROUTE_PARTS).map(as_route)
STARTS, ENDS = st.sampled_from(["^", "^", ""]), st.sampled_from(["$", "$", r"\Z", ""])
REGEXES = st.builds(as_regex, STARTS, joined(REGEX_PARTS), ENDS)
VIEWS_USED = st.sampled_from(VIEWS)
ENDPOINTS = st.one_of(
    st.builds(path, ROUTES, VIEWS_USED, DEFAULTS, NAMES),
    st.builds(re_path, REGEXES, VIEWS_USED, DEFAULTS, NAMES),
)


def included(
    make: Any, route: str, patterns: list[Any], names: tuple[str, str | None] | None, extra: Any
) -> Any:
    app, namespace = names or (None, None)
    inside: Any = patterns if app is None else (patterns, app)
    return make(route, include(inside, namespace=namespace), extra)


NAMESPACES = st.sampled_from([None, ("app", None), ("app", "space")])
INCLUDES = st.builds(as_regex, STARTS, joined(REGEX_PARTS, 2), st.just(""))


def lists_of(patterns: Any) -> Any:
    lists = st.lists(patterns, max_size=5)
    return st.one_of(
        st.builds(included, st.just(path), ROUTES, lists, NAMESPACES, DEFAULTS),
        st.builds(included, st.just(re_path), INCLUDES, lists, NAMESPACES, DEFAULTS),
    )


PATTERNS = st.lists(st.recursive(ENDPOINTS, lists_of, max_leaves=12), max_size=8)
UUID = "12345678-1234-1234-1234-123456789abc"
PATH_PARTS = st.one_of(
    WORDS, st.sampled_from(["/", "/", ".", "12", UUID, "\n", "|", "(", "c", "default"])
)
PATHS = joined(PATH_PARTS, 7).map(lambda text: "/" + text)


class UrlConf(ModuleType):
    """A module with the given patterns."""

    def __init__(self, patterns: Any) -> None:
        super().__init__("urlconf_of_a_test")
        self.urlpatterns = patterns


def resolved(path: str) -> ResolverMatch | None:
    try:
        return get_resolver().resolve(path)
    except Resolver404:
        return None


def facts(match: ResolverMatch) -> dict[str, Any]:
    found = {name: value for name, value in vars(match).items() if not name.startswith("_resolve")}
    return {**found, "tried": match.tried, "repr": repr(match)}


def examine(routes: Routes, path: str) -> bool:
    """Hold what is found against Django; return whether something is."""
    expected = resolved(path)
    for _ in range(3):  # the first match of a pattern is Django's
        found = routes.find(path)
        if found is not None:
            assert expected is not None
            assert facts(found) == facts(expected)
            assert [*found] == [*expected]
            assert found.func in VIEWS[:2]
    return found is not None


@given(PATTERNS, st.lists(PATHS, min_size=1, max_size=12))
@settings(max_examples=400)
def test_every_match_is_that_of_django(patterns: list[Any], paths: list[str]) -> None:
    with override_settings(ROOT_URLCONF=UrlConf(patterns)):
        routes = Routes()
        for each in paths:
            examine(routes, each)


def found_in(patterns: Any, path: str) -> bool:
    with override_settings(ROOT_URLCONF=UrlConf(patterns)):
        return examine(Routes(), path)


VIEW = VIEWS[0]


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        (path("", VIEW), "/"),
        (path("a/", VIEW), "/a/"),
        (path("a", VIEW), "/a"),
        (path("a/<int:n>/", VIEW, {"extra": 1}, "name"), "/a/12/"),
        (path("<path:p>", VIEW), "/a/b/c"),
        (path("<uuid:u>/", include([path("b/", VIEW)])), f"/{UUID}/b/"),
        (re_path(r"^a/(?P<x>[^/.]+)/$", VIEW), "/a/1/"),
        (re_path(r"^a\.(?P<x>json|xml)/?$", VIEW), "/a.json"),
        (re_path(r"a/", VIEW), "/b/a/c"),
        (re_path(r"^a/(\d)/(\d)/$", VIEW), "/a/1/2/"),
        (re_path(r"^(\d)/", include([re_path(r"^(\d)/$", VIEW)])), "/1/2/"),
        (path("é/", VIEW), "/é/"),
    ],
)
def test_what_the_path_decides_is_found(pattern: Any, address: str) -> None:
    assert found_in([path("b/", foreign), pattern], address)


def test_patterns_may_be_a_tuple() -> None:
    inner = (path("a/", VIEW), path("b/", foreign))
    patterns: Any = (path("c/", include((inner, "app"))), path("", include((inner, "other"))))
    assert found_in(patterns, "/c/a/")
    assert found_in(patterns, "/a/")
    assert not found_in(patterns, "/b/")


class Sequence(list[Any]):
    """Patterns in a list of the project, which may compute them."""


class Reversed(RoutePattern):
    def match(self, path: str) -> Any:
        return super().match(path[::-1])


class Counting:
    """A converter that counts its calls."""

    regex = "[0-9]+"
    calls = 0

    def to_python(self, value: str) -> int:
        Counting.calls += 1
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


@pytest.mark.parametrize(
    ("patterns", "address"),
    [
        ([path("a/", foreign)], "/a/"),
        ([path("a/", VIEW)], "/b/"),
        ([path(gettext_lazy("a/"), VIEW)], "/a/"),
        ([URLPattern(Reversed("b/a", is_endpoint=True), VIEW)], "/a/b"),
        (Sequence([path("a/", VIEW)]), "/a/"),
        ([path("a/", VIEW), path(gettext_lazy("b/"), foreign)], "/c/"),
    ],
)
def test_the_rest_is_left_to_django(patterns: Any, address: str) -> None:
    assert not found_in(patterns, address)


def test_converters_of_the_project_are_not_called_before_the_middleware(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pattern = path("<int:n>/", VIEW)
    monkeypatch.setitem(pattern.pattern.converters, "n", Counting())
    Counting.calls = 0
    with override_settings(ROOT_URLCONF=UrlConf([pattern])):
        assert get_resolver().url_patterns
        assert Routes().find("/1/") is None
    assert Counting.calls == 0


def test_routes_that_change_are_examined_again() -> None:
    patterns = [path("a/", VIEWS[0])]
    routes = Routes()
    with override_settings(ROOT_URLCONF=UrlConf(patterns)):
        assert examine(routes, "/a/")
        patterns.insert(0, path("a/", VIEWS[1]))
        routes.find("/a/")  # notices
        assert examine(routes, "/a/")
        patterns[0].callback = foreign
        routes.find("/a/")
        assert not examine(routes, "/a/")
    with override_settings(ROOT_URLCONF=UrlConf([path("b/", VIEWS[1])])):
        assert examine(routes, "/b/")
        assert not examine(routes, "/a/")


def test_routes_that_cannot_be_read_are_left_to_django() -> None:
    routes = Routes()
    with override_settings(ROOT_URLCONF="no.such.module"):
        assert routes.find("/a/") is None
    with override_settings(ROOT_URLCONF=UrlConf([path("a/", VIEW)])):
        assert examine(routes, "/a/")
    clear_url_caches()


def test_matches_share_nothing_that_can_be_changed() -> None:
    inside = include(([path("b/<int:n>/", VIEW, {"extra": 1})], "app"))
    with override_settings(ROOT_URLCONF=UrlConf([path("a/", inside)])):
        routes = Routes()
        assert routes.find("/a/b/1/") is None  # nobody has imported the routes yet
        examine(routes, "/a/b/1/")
        first = routes.find("/a/b/1/")
        assert first is not None
        first.kwargs["n"] = 5
        first.app_names.append("wrong")
        first.namespaces.append("wrong")
        assert examine(routes, "/a/b/1/")


def test_a_tree_leads_to_few_entries() -> None:
    routes = [path(f"v1/things{number}/<int:pk>/", VIEW) for number in range(1000)]
    tree = tree_of((literal_of(each.pattern), index) for index, each in enumerate(routes))
    assert tree.candidates("v1/things77/5/") == (77,)
    assert tree.candidates("v1/") == tree.candidates("v2/things77/5/") == ()


@pytest.mark.parametrize(
    ("expression", "literal"),
    [
        ("^a/b$", Literal("a/b", True, True, True)),
        ("^a/b", Literal("a/b", False, True, True)),
        ("^a/b?$", Literal("a/", False, True)),
        ("^a|b$", Literal("", False, True)),
        (r"^a\|b$", Literal("a|b", True, True, True)),
        ("^a[|]b$", Literal("a", False, True)),
        ("^a(b|c)$", Literal("a", False, True)),
        ("a/$", Literal("", False, True)),
        (r"^a\d$", Literal("a", False, True)),
    ],
)
def test_the_beginning_of_expressions_is_read(expression: str, literal: Literal) -> None:
    assert literal_of(re_path(expression, VIEW).pattern) == literal
