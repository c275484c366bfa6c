"""The calls that ``compare_surface.py`` makes on both sides: usual ones and hostile ones."""

from __future__ import annotations

import base64
import datetime
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.parse import quote

import django
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, models
from django.test import override_settings
from django.urls import clear_url_caches, include, path, re_path

Call = tuple[str, Callable[[], Any]]

NUMBERS = [
    *("0", "1", "2", "4", "99", "-1", "abc", "", "1.0", " 1", "01", "+1", "٣", "1e2", "9" * 30),
    *("last", "\0", "1,2", "None", "1_0", "\u2028", "0x1", "true"),
]
CURSORS = [
    *("p=1", "p=5&r=1", "o=2", "o=2&p=3", "o=-1", "o=abc", "r=2", "r=x", "", "p=1&p=5", "o=1&o=3"),
    *("o=" + "9" * 30, "r=1", "r=0&p=2", "x=1", "p=+3", "p= 3"),
]
PATHS = ["/?", "/?=", "/?&", "/?a&b=", "/;x=1?a=1;b=2", "//x/?q", "/?q=%ff", "/?q=%zz", "/?q=<>\"'"]
TERMS = [
    *(
        "n1",
        "N1",
        "n1 n2",
        "n1,n2",
        "'n1'",
        '"n 1"',
        "%",
        "_",
        "\\",
        "n1\0",
        "é",
        "",
        ",",
        "a" * 300,
    ),
    *(
        "1",
        "0",
        "true",
        "2020",
        "(",
        "^n",
        "n$",
        "(a+)+b",
        "'",
        '"a\\"b"',
        "\u2028n",
        "ann",
        "red gr",
    ),
]
SEARCH_FIELDS: list[Any] = [
    *(["name"], ["^name"], ["=name"], ["$name"], ["name", "rank"], ["owner__username"], ("name",)),
    *(["=owner__username", "tags__name"], ["tags__name"], ["name__iendswith"], ["rank__gte"], []),
    *(["created__year"], ["owner"], ["tags"], ["nope"], None, "name", ["name__"], ["name__isnull"]),
]
ORDERS = [
    *("id", "-id", "--id", "+id", "-name,id", "name,-name", "id,id", "owner__username", "secret"),
    *(
        "tags",
        "rank,",
        ",",
        " rank",
        "pk",
        "?",
        "-",
        "owner",
        "owner__password",
        "RANK",
        "id\0",
        "",
    ),
]
PREFIXES = ["items", "", "a/b", r"(?P<p>\d+)/items", "items/", "^items", "<int:p>/items", "i.j"]
SUFFIXED = [
    "/a/",
    "/a.json",
    "/a.json/",
    "/b/1",
    "/b/1.json",
    "/b/1.JSON",
    "/c.json",
    "/.json",
    "/5.json",
]
VERSIONED = [
    *("/e/", "/v1/e/", "/v9/e/", "/é/e/", "/n1/e/", "/n2/e/", "/e/?version=v1", "/e/?version=v9"),
    *("/e/?version=", "/e/?version=v1&version=v2", "/e/?format=json&version=v2", "/e/?version=%00"),
]
ACCEPTED = [
    *("application/json; version=v1", "application/json;version=v9", "*/*; version=v2"),
    *('application/json; version="v1"', "text/html; version=v1", "application/json; VERSION=v1"),
]
HOSTS = [
    "v1.example.com",
    "v9.example.com",
    "example.com",
    "V1.EXAMPLE.COM",
    "a.v1.example.com",
    "[::1]",
]
BODIES: list[Any] = [
    *(None, {}, {"a": 1}, {"a": [1, 2]}, {"a": "é"}, {"a": {"b": 1}}, [], [1, 2], "text", b"bytes"),
    *(5, "", {"": "x"}, {1: 2}, {"a b": "c&d"}, False, 0),
]
FORMATS: list[dict[str, str]] = [
    *({}, {"format": "json"}, {"format": "multipart"}, {"format": "nope"}),
    *({"content_type": "application/json"}, {"content_type": "text/plain"}),
    *({"content_type": "application/x-www-form-urlencoded"},),
]

api: Any


def prepare(package: str) -> None:
    """Set Django up with a package; ``api`` then has its modules."""
    global api
    apps = ["contenttypes", "auth", "sessions"]
    settings.configure(
        INSTALLED_APPS=[*(f"django.contrib.{app}" for app in apps), package],
        SECRET_KEY="x",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="surface_urls",
        TEMPLATES=[
            {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}
        ],
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        REST_FRAMEWORK={"PAGE_SIZE": 3, "DEFAULT_AUTHENTICATION_CLASSES": []},
    )
    django.setup()
    names = "filters pagination generics routers serializers test request response versioning"
    parts = {name: import_module(f"{package}.{name}") for name in f"{names} viewsets views".split()}
    for name in ("decorators", "urlpatterns", "reverse"):
        parts[name] = import_module(f"{package}.{name}")
    api = ModuleType("api")
    vars(api).update(parts)
    make_rows()


def make_rows() -> None:
    call_command("migrate", run_syncdb=True, verbosity=0)
    user_model = get_user_model()

    class Tag(models.Model):
        name = models.CharField(max_length=20)

        class Meta:
            app_label = "sessions"

    class Item(models.Model):
        name = models.CharField(max_length=20)
        rank = models.IntegerField()
        secret = models.CharField(max_length=20, default="s")
        created = models.DateTimeField(null=True)
        owner = models.ForeignKey(user_model, models.CASCADE, null=True)
        tags = models.ManyToManyField(Tag)

        class Meta:
            app_label = "sessions"

    with connection.schema_editor() as editor:
        editor.create_model(Tag)
        editor.create_model(Item)
    ann = user_model.objects.create(username="ann")
    tags = [Tag.objects.create(name=name) for name in ("red", "green", "blu,e")]
    for number in range(10):
        item = Item.objects.create(
            name=f"n{number % 4}",
            rank=number // 3,
            created=datetime.datetime(2020, 1, 1 + number // 2, tzinfo=datetime.UTC),
            owner=ann if number % 2 else None,
        )
        item.tags.set(tags[: number % 4])
    api.Item, api.Tag = Item, Tag


def calls() -> Iterator[Call]:
    """Return all calls, each with a unique label."""
    for attack in (pages, searches, orders, patterns, suffixes, versions, clients, chains):
        yield from attack()


def request(place: str) -> Any:
    return api.request.Request(api.test.APIRequestFactory().get(place))


# ---- pagination ----


def styles() -> dict[str, Any]:
    number, limit = api.pagination.PageNumberPagination, api.pagination.LimitOffsetPagination
    sized = {"page_size": 3, "page_size_query_param": "size", "max_page_size": 5}
    return {
        "page": type("Page", (number,), sized),
        "end": type("End", (number,), {"page_size": 3, "last_page_strings": ("end", "last")}),
        "limit": type("Limit", (limit,), {"default_limit": 3, "max_limit": 4}),
        "cursor": type("Cursor", (api.pagination.CursorPagination,), {**sized, "ordering": "id"}),
    }


PARAMETERS = {
    "page": ["page", "size"],
    "end": ["page"],
    "limit": ["limit", "offset"],
    "cursor": ["size"],
}


def pages() -> Iterator[Call]:
    for name, style in styles().items():
        for parameter, value in itertools.product(PARAMETERS[name], NUMBERS):
            place = f"/a/b%20c/?x=%C3%A9&z=1&z=2&{parameter}={quote(value)}&b=a+b"
            yield f"{name} {parameter}={value!r}", partial(page, style, place)
        for place in PATHS:
            yield f"{name} {place}", partial(page, style, place)
        schema = partial(style().get_paginated_response_schema, {"type": "array"})
        yield f"{name} schema", schema
    for text in CURSORS:
        cursor = quote(base64.b64encode(text.encode()).decode())
        yield f"cursor {text}", partial(page, styles()["cursor"], f"/?cursor={cursor}")
    for text in ("!!!", "cD0", "=", "%", "aaaaa", "c D0x", "é", "_-_-"):
        yield f"cursor as {text}", partial(page, styles()["cursor"], f"/?cursor={quote(text)}")


def page(style: Any, place: str) -> Any:
    paginator = style()
    found = paginator.paginate_queryset(api.Item.objects.order_by("id"), request(place), None)
    if found is None:
        return None
    data = dict(paginator.get_paginated_response([row.pk for row in found]).data)
    if issubclass(style, api.pagination.CursorPagination):
        return data["results"], paginator.has_next, paginator.has_previous
    return data, paginator.display_page_controls, paginator.get_html_context()


# ---- filters ----


def view_of(place: str, **attributes: Any) -> Any:
    class ItemSerializer(api.serializers.ModelSerializer):
        class Meta:
            model = api.Item
            fields = ["id", "name", "rank", "owner", "tags"]

    attributes.setdefault("serializer_class", ItemSerializer)
    view = type("View", (api.generics.ListAPIView,), attributes)()
    view.request, view.kwargs, view.format_kwarg = request(place), {}, None
    return view


def filtered(backend: Any, view: Any) -> Any:
    rows = backend().filter_queryset(view.request, api.Item.objects.order_by("id"), view)
    return rows.query.order_by, [row.pk for row in rows]


def searches() -> Iterator[Call]:
    for fields, term in itertools.product(SEARCH_FIELDS, TERMS):
        view = view_of(f"/?search={quote(term)}", search_fields=fields)
        yield f"search {fields} {term!r}", partial(filtered, api.filters.SearchFilter, view)


def orders() -> Iterator[Call]:
    kinds: dict[str, dict[str, Any]] = {
        "default": {},
        "all": {"ordering_fields": "__all__"},
        "some": {"ordering_fields": ["rank", "owner__username", "nope"]},
        "labelled": {"ordering_fields": (("rank", "Rank!"), "name")},
        "none": {"ordering_fields": []},
        "given": {"ordering": ("-rank", "name")},
        "bare": {"serializer_class": None},
    }
    for (kind, attributes), order in itertools.product(kinds.items(), ORDERS):
        view = view_of(f"/?ordering={quote(order)}", **attributes)
        yield f"order {kind} {order!r}", partial(filtered, api.filters.OrderingFilter, view)


# ---- routers and suffixes ----


def viewsets() -> dict[str, Any]:
    action = api.decorators.action

    class Items(api.viewsets.ModelViewSet):
        queryset = api.Item.objects.all()

        @action(detail=False, methods=["GET", "head"], url_path="re-cent", url_name="rc", name="N")
        def recent(self, request: Any) -> Any: ...

        @action(detail=True, methods=["post"], url_path="x/(?P<n>[0-9]{2})", suffix="Su")
        def two(self, request: Any, pk: Any, n: Any) -> Any: ...

        @action(detail=True)
        def three_four(self, request: Any, pk: Any) -> Any: ...

        @three_four.mapping.put
        def change(self, request: Any, pk: Any) -> Any: ...

    class ByName(api.viewsets.ReadOnlyModelViewSet):
        queryset = api.Item.objects.all()
        lookup_field, lookup_url_kwarg, lookup_value_regex = "name", "nm", "[a-z]{3}"

    class Converted(api.viewsets.ViewSet):
        lookup_value_converter = "int"

        def retrieve(self, request: Any, pk: Any) -> Any: ...

    return {"items": Items, "names": ByName, "converted": Converted}


def patterns() -> Iterator[Call]:
    options: list[dict[str, bool]] = [{}, {"trailing_slash": False}, {"use_regex_path": False}]
    classes = (api.routers.SimpleRouter, api.routers.DefaultRouter)
    for cls, keywords, prefix in itertools.product(classes, options, PREFIXES):
        for name, viewset in viewsets().items():
            label = f"router {cls.__name__} {keywords} {prefix!r} {name}"
            yield label, partial(made_patterns, cls, keywords, prefix, name, viewset)
    router = api.routers.SimpleRouter()
    yield "router without a name", partial(router.register, "x", viewsets()["converted"])
    for name in ("", "parent_"):
        yield f"router lookup {name}", partial(router.get_lookup_regex, viewsets()["names"], name)


def made_patterns(cls: Any, keywords: Any, prefix: str, name: str, viewset: Any) -> Any:
    router = cls(**keywords)
    router.register(prefix, viewset, name)
    return [
        (str(each.pattern), each.name, getattr(each.callback, "actions", None), each.default_args)
        for each in router.urls
    ]


def echo() -> Any:
    def answer(request: Any, format: Any = None, **keywords: Any) -> Any:
        return api.response.Response({"format": format, **keywords})

    return api.decorators.api_view(["GET"])(answer)


def suffixes() -> Iterator[Call]:
    for required, allowed in (
        (False, None),
        (True, None),
        (False, ["json"]),
        (True, ["json", "xml"]),
    ):
        view = echo()
        plain = [
            *(path("a/", view, name="a"), re_path("^b/(?P<x>[0-9]+)/?$", view, name="b")),
            *(re_path("^c$", view), path("", view), path("<int:i>/", view, name="i")),
        ]
        made = api.urlpatterns.format_suffix_patterns(plain, required, allowed)
        label = f"suffixes {required} {allowed}"
        yield label, partial(list, [(str(each.pattern), each.name) for each in made])
        for place in SUFFIXED:
            yield f"{label} {place}", partial(got, made, place)


def got(urlpatterns: list[Any], place: str, **headers: str) -> Any:
    """Return the status and the JSON that a client gets from a project with these patterns."""
    module = ModuleType("surface_urls")
    vars(module)["urlpatterns"] = urlpatterns
    sys.modules["surface_urls"] = module
    clear_url_caches()
    with override_settings(ROOT_URLCONF="surface_urls"):
        response = api.test.APIClient().get(place, **headers)
    is_json = "json" in response.headers.get("Content-Type", "")
    return response.status_code, response.json() if is_json else None


# ---- versions ----


def versions() -> Iterator[Call]:
    options: list[dict[str, Any]] = [
        *({}, {"default_version": "v1"}, {"allowed_versions": ["v1"]}, {"version_param": "v"}),
        *({"default_version": "v1", "allowed_versions": ["v1", "v2"]},),
    ]
    names = ["URLPath", "Namespace", "QueryParameter", "AcceptHeader", "HostName"]
    for name, attributes in itertools.product(names, options):
        scheme = type(name, (getattr(api.versioning, f"{name}Versioning"),), attributes)
        made = versioned_patterns(scheme)
        for place in VERSIONED:
            yield f"version {name} {attributes} {place}", partial(got, made, place)
        for accepted in ACCEPTED:
            label = f"version {name} {attributes} {accepted}"
            yield label, partial(got, made, "/e/", HTTP_ACCEPT=accepted)
        for host in HOSTS:
            yield f"version {name} {attributes} {host}", partial(got, made, "/e/", HTTP_HOST=host)


def versioned_patterns(scheme: Any) -> list[Any]:
    class Versioned(api.views.APIView):
        versioning_class = scheme

        def get(self, request: Any, **keywords: Any) -> Any:
            found = [str(request.version), keywords]
            for name in ("e", "v1:e", "v2:e", "nope"):
                try:
                    found.append(api.reverse.reverse(name, request=request))
                except Exception as error:
                    found.append(type(error).__name__)
            return api.response.Response(found)

    view = Versioned.as_view()
    inner = [path("e/", view, name="e")]
    return [
        path("e/", view, name="e"),
        re_path(r"^(?P<version>[^/]+)/e/$", view, name="e"),
        path("n1/", include((inner, "app"), namespace="v1")),
        path("n2/", include((inner, "app"), namespace="v2")),
    ]


# ---- test clients ----


def clients() -> Iterator[Call]:
    factory = api.test.APIRequestFactory
    for method, body, keywords in itertools.product(
        ("post", "put", "delete", "options"), BODIES, FORMATS
    ):
        label = f"factory {method} {body!r} {keywords}"
        yield label, partial(sent, factory, method, body, **keywords)
    for body in BODIES:
        yield f"factory get {body!r}", partial(sent, factory, "get", body)


def sent(factory: Any, method: str, body: Any, **keywords: str) -> Any:
    made = getattr(factory(), method)("/x/?a=1", body, **keywords)
    names = ("CONTENT_LENGTH", "CONTENT_TYPE", "QUERY_STRING")
    return made.method, made.path, made.body, {name: made.META.get(name) for name in names}


# ---- what only resembles a queryset ----


class Chain:
    """Two querysets, one after the other, as packages chain them."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        self.model = parts[0].model

    def filter(self, *conditions: Any, **lookups: Any) -> Chain:
        return Chain(*(part.filter(*conditions, **lookups) for part in self.parts))

    def order_by(self, *names: str) -> Chain:
        return Chain(*(part.order_by(*names) for part in self.parts))

    def count(self) -> int:
        return len(self)

    def __len__(self) -> int:
        return sum(part.count() for part in self.parts)

    def __iter__(self) -> Any:
        return itertools.chain(*self.parts)

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place]


def chains() -> Iterator[Call]:
    paths = ["/", "/?page=2", "/?limit=4&offset=8", "/?size=4"]
    paths += [f"/?cursor={quote(base64.b64encode(text.encode()).decode())}" for text in CURSORS]
    for (name, style), place in itertools.product(styles().items(), paths):
        yield f"chain {name} {place}", partial(chained, style, place)
    for backend, query in (("SearchFilter", "search=n1"), ("OrderingFilter", "ordering=-name")):
        view = view_of(f"/?{query}", search_fields=["name"], ordering_fields=["name"])
        made = getattr(api.filters, backend)()
        yield f"chain {backend}", partial(ids, made.filter_queryset, view.request, view)


def chained(style: Any, place: str) -> Any:
    paginator = style()
    found = paginator.paginate_queryset(chain(), request(place), None)
    data = dict(paginator.get_paginated_response([row.pk for row in found]).data)
    return json.dumps(data)


def chain() -> Chain:
    return Chain(api.Item.objects.order_by("id"), api.Tag.objects.order_by("id"))


def ids(filter_queryset: Any, asked: Any, view: Any) -> list[int]:
    return [row.pk for row in filter_queryset(asked, chain(), view)]
