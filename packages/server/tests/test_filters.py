import re
from decimal import Decimal
from typing import Any

import pytest
from contract_project.models import Everything, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, models
from django.db.models import DecimalField, QuerySet, Value
from django.db.models.functions import Upper
from django.test import RequestFactory, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from lintel import filters, generics, serializers
from lintel.cycle.steps import is_prompt
from lintel.exceptions import ValidationError
from lintel.filters import OrderingFilter, SearchFilter, search_smart_split
from lintel.pagination import PageNumberPagination
from lintel.renderers import BrowsableAPIRenderer
from lintel.request import Request

factory = RequestFactory()

pytestmark = pytest.mark.django_db


class SnippetSerializer(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["id", "title", "owner"]


@pytest.fixture(autouse=True)
def rows() -> None:
    owners = [
        User.objects.create(id=1, username="alice"),
        User.objects.create(id=2, username="bob"),
    ]
    red, green, blue = (Tag.objects.create(name=name) for name in ("red", "green", "blue"))
    for pk, title, tags in ((1, "alpha", [red, green]), (2, "beta", [green, blue]), (3, "", [])):
        snippet = Snippet.objects.create(
            id=pk, title=title, code=f"code {pk}", owner=owners[pk % 2], created=timezone.now()
        )
        snippet.tags.set(tags)


def made_view(query: str, **attributes: Any) -> Any:
    attributes.setdefault("serializer_class", SnippetSerializer)
    view = type("View", (generics.ListAPIView,), attributes)()
    view.request = Request(factory.get(f"/?{query}"))
    view.format_kwarg = None
    return view


def search(text: str, *fields: str, queryset: Any = None) -> list[int]:
    view = made_view("", search_fields=fields)
    view.request = Request(factory.get("/", {"search": text}))
    rows = Snippet.objects.order_by("id") if queryset is None else queryset
    return [row.pk for row in SearchFilter().filter_queryset(view.request, rows, view)]


# Search


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("a b", ["a", "b"]),
        ("a, b ,c", ["a", "b", "c"]),
        ('"a b" c', ["a b", "c"]),
        ("'a b' c", ["a b", "c"]),
        ('a"b c"d', ['a"b c"d']),
        ("it's", ["it's"]),
        (",", []),
        ('""', [""]),
        ('"', [""]),
        ('"a', ['"a']),
        ("a\tb", ["a", "b"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert list(search_smart_split(text)) == terms


@pytest.mark.parametrize(
    ("text", "fields", "found"),
    [
        ("a", ["title"], [1, 2]),
        ("a lp", ["title"], [1]),
        ("alpha code", ["title", "code"], [1]),
        ("alp", ["^title"], [1]),
        ("pha", ["^title"], []),
        ("ALPHA", ["=title"], [1]),
        ("^b.ta$", ["$title"], [2]),
        ("ali", ["owner__username"], [2]),
        ("ta", ["title__iendswith"], [2]),
        ("2", ["=id"], [2]),
        ("two", ["=id"], []),
        ("two", ["id__exact", "title"], []),
        ("9" * 40, ["id__exact"], []),
        ("2", ["id__exact"], [2]),
        ("a", [], [1, 2, 3]),
        ("", ["title"], [1, 2, 3]),
    ],
)
def test_search(text: str, fields: list[str], found: list[int]) -> None:
    assert search(text, *fields) == found


def test_a_row_is_found_once() -> None:
    assert search("e", "tags__name") == [1, 2]
    assert search("e", "title", "tags__name", "owner__snippets__title") == [1, 2]


def test_annotations_are_searched() -> None:
    rows = Snippet.objects.annotate(loud=Upper("title")).order_by("id")
    assert search("ALPHA", "=loud", queryset=rows) == [1]
    assert not SearchFilter().must_call_distinct(rows, ["loud", "^loud"])


def test_keys_inside_of_json_are_searched() -> None:
    for pk, colour in ((1, "red"), (2, "green")):
        Everything.objects.create(
            id=pk, text="x", amount=1, when=timezone.now(), data={"colour": {"name": colour}}
        )
    assert search("gre", "data__colour__name", queryset=Everything.objects.all()) == [2]


@pytest.mark.parametrize("pattern", ["[", "(", "*", "a{99999999999}", "(?P<x", "\\"])
def test_a_bad_regular_expression_is_bad_input(pattern: str) -> None:
    with pytest.raises(ValidationError) as caught:
        search(f"'{pattern}'" if pattern != "\\" else pattern, "$title")
    assert caught.value.get_codes() == ["invalid_regex"]


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+",
        "(a*)*b",
        "((a+))+",
        "(a|aa)+",
        "(?:a|a)*",
        "(?P<x>a+)+$",
        "(a{1,9}){1,9}",
        "(a?){30}",
        "(x(a+)y)*",
        "(?i)(a+)+",
        "(?x)(a+) +",
        "([)]+)+",
    ],
)
def test_expressions_that_may_take_forever_are_bad_input(pattern: str) -> None:
    with pytest.raises(ValidationError) as caught:
        search(f'"{pattern}"', "$title")
    assert caught.value.get_codes() == ["regex_too_complex"]


@pytest.mark.parametrize(
    "pattern",
    ["^a.*a$", "al(p|q)ha", "(al)(p+)ha", "a[(+)*lph]+a", r"al\\w+", "al(?:ph)+a", "(alpha){1}"],
)
def test_other_expressions_search(pattern: str) -> None:
    assert search(f'"{pattern}"', "$title") == [1]


def test_a_long_expression_is_bad_input() -> None:
    assert search("a" * 200, "$title", "title") == []
    with pytest.raises(ValidationError) as caught:
        search("a" * 201, "$title", "title")
    assert caught.value.get_codes() == ["regex_too_long"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("9" * 40, "id__exact"),
        ("9" * 9, "created__year__exact"),
        ("x", "created__date__exact"),
        ("1e999999", "price__exact"),
        ("Infinity", "price__exact"),
        ("nan", "price__exact"),
        ("x", "owner__exact"),
    ],
)
def test_values_that_no_column_has_find_nothing(text: str, field: str) -> None:
    price = DecimalField(max_digits=5, decimal_places=2)
    rows = Snippet.objects.annotate(price=Value(Decimal(1), output_field=price))
    assert search(text, field, queryset=rows) == []


def searched_sql(text: str, *fields: str) -> str:
    view = made_view("", search_fields=fields)
    request = Request(factory.get("/", {"search": text}))
    return str(SearchFilter().filter_queryset(request, Snippet.objects.all(), view).query)


@pytest.mark.parametrize("fields", [["title"], ["tags__name"], ["title", "owner__username"]])
def test_the_cost_of_a_search_grows_with_its_terms(fields: list[str]) -> None:
    one, many = searched_sql("e", *fields), searched_sql(" ".join("e" * 50), *fields)
    for word in ("JOIN", "SELECT", "EXISTS", "DISTINCT"):
        assert one.count(word) == many.count(word)
    assert many.count("LIKE") == 50 * one.count("LIKE")


def test_no_row_is_found_twice_where_all_terms_meet() -> None:
    assert search("e n", "tags__name") == [1, 2]
    assert search("e n", "tags__name", "owner__snippets__tags__name") == [1, 2, 3]


def test_nul_is_bad_input() -> None:
    with pytest.raises(ValidationError, match="Null characters are not allowed"):
        search("a\0b", "title")


def test_too_many_terms_are_bad_input() -> None:
    assert search(" ".join("a" * 100), "title") == [1, 2]
    with pytest.raises(ValidationError, match="Too many search terms"):
        search(" ".join("a" * 101), "title")


def test_a_long_term_is_bad_input() -> None:
    assert search("€" * 10_000, "title", "^title") == []
    with pytest.raises(ValidationError, match="A search term is too long"):
        search("€" * 10_001, "title")


def test_lookups() -> None:
    rows = Snippet.objects.annotate(loud=Upper("title"))
    construct = SearchFilter().construct_search
    for field, lookup in {
        "title": "title__icontains",
        "^title": "title__istartswith",
        "=title": "title__iexact",
        "@title": "title__search",
        "$title": "title__iregex",
        "owner__username": "owner__username__icontains",
        "owner__username__exact": "owner__username__exact",
        "pk__exact": "pk__exact",
        "title__year": "title__year__icontains",
        "created__year": "created__year__icontains",
        "created__year__exact": "created__year__exact",
        "created__date__gte": "created__date__gte",
        "owner__exact": "owner__exact",
        "owner__snippets__isnull": "owner__snippets__isnull",
        "loud": "loud__icontains",
        "loud__startswith": "loud__startswith",
        "nothing": "nothing__icontains",
    }.items():
        assert construct(field, rows) == lookup


def test_unaccented_lookups() -> None:
    construct = filters.UnaccentedSearchFilter().construct_search
    assert construct("title", Snippet.objects.all()) == "title__unaccent__icontains"
    assert construct("^title", Snippet.objects.all()) == "title__unaccent__istartswith"


def test_the_search_box() -> None:
    view = made_view("search=a%22%3C", search_fields=["title"])
    html = SearchFilter().to_html(view.request, Snippet.objects.all(), view)
    assert 'name="search"' in html
    assert "a&quot;&lt;" in html
    view.search_fields = None
    assert SearchFilter().to_html(view.request, Snippet.objects.all(), view) == ""


# Ordering


def ordering(query: str, queryset: Any = None, **attributes: Any) -> Any:
    view = made_view(query, **attributes)
    rows = Snippet.objects.all() if queryset is None else queryset
    return OrderingFilter().get_ordering(view.request, rows, view)


@pytest.mark.parametrize(
    ("query", "attributes", "expected"),
    [
        ("", {}, None),
        ("ordering=title", {}, ["title"]),
        ("ordering=-title,id", {}, ["-title", "id"]),
        ("ordering=%20title%20,%20-id", {}, ["title", "-id"]),
        ("ordering=title,secret", {}, ["title"]),
        ("ordering=secret", {"ordering": "title"}, ("title",)),
        ("", {"ordering": ("title", "id")}, ("title", "id")),
        ("ordering=title", {"ordering_fields": ["id"]}, None),
        ("ordering=title", {"ordering_fields": ()}, None),
        (
            "ordering=owner__username",
            {"ordering_fields": [("owner__username", "O")]},
            ["owner__username"],
        ),
        ("ordering=code", {"ordering_fields": "__all__"}, ["code"]),
        ("ordering=--title", {}, None),
        ("ordering=?", {}, None),
        ("ordering=-", {}, None),
        ("ordering=title%00", {}, None),
        ("ordering=" + "9" * 5000, {}, None),
        ("ordering=id,-title,id,title", {}, ["id", "-title"]),
        ("ordering=" + ",".join(["id"] * 5000), {}, ["id"]),
    ],
)
def test_ordering(query: str, attributes: Any, expected: Any) -> None:
    assert ordering(query, **attributes) == expected


@pytest.mark.parametrize("name", ["code", "owner__password", "owner__username", "pk", "password"])
@pytest.mark.parametrize("fields", [None, "__all__"])
def test_hidden_columns_order_nothing(name: str, fields: Any) -> None:
    if (name, fields) == ("code", "__all__"):
        return
    assert ordering(f"ordering={name}", **({"ordering_fields": fields} if fields else {})) is None


def test_readable_fields_without_a_column_are_left_out() -> None:
    class Mixed(serializers.Serializer):
        shown = serializers.CharField(source="title")
        secret = serializers.CharField(write_only=True)
        whole = serializers.CharField(source="*")
        method = serializers.SerializerMethodField()
        name = serializers.CharField(source="owner.username", label="Name")
        computed = serializers.CharField(source="no_such_column")

    view = made_view("", serializer_class=Mixed)
    fields = OrderingFilter().get_default_valid_fields(Snippet.objects.all(), view, {})
    assert fields[:2] == [("title", "Shown"), ("owner__username", "Name")]
    assert ordering("ordering=no_such_column", serializer_class=Mixed) is None
    assert ordering("ordering=-owner__username", serializer_class=Mixed) == ["-owner__username"]


def test_a_view_without_serializer_is_told() -> None:
    with pytest.raises(ImproperlyConfigured, match="Cannot use OrderingFilter on a view"):
        ordering("ordering=title", serializer_class=None)


def test_rows_are_ordered() -> None:
    view = made_view("ordering=-title")
    rows = OrderingFilter().filter_queryset(view.request, Snippet.objects.all(), view)
    assert [row.pk for row in rows] == [2, 1, 3]


def test_the_choice_of_an_order() -> None:
    view = made_view("ordering=-id", ordering_fields=["id", ("title", "T")])
    context = OrderingFilter().get_template_context(view.request, Snippet.objects.all(), view)
    assert context["current"] == "-id"
    assert context["options"][2:] == [("title", "T - ascending"), ("-title", "T - descending")]
    assert choice(view) == (["", "id", "-id", "title", "-title"], ["-id"])


def choice(view: Any) -> tuple[list[str], list[str]]:
    """The values of the select, and those that are selected."""
    html = OrderingFilter().to_html(view.request, Snippet.objects.all(), view)
    return (
        re.findall(r'<option value="([^"]*)"', html),
        re.findall(r'<option value="([^"]*)" selected', html),
    )


def test_the_choice_shows_an_order_by_several_columns_and_none_that_is_hidden() -> None:
    fields = ["id", ("title", "T")]
    view = made_view("ordering=-title,id", ordering_fields=fields)
    values, selected = choice(view)
    assert (values[-1], selected) == ("-title,id", ["-title,id"])
    html = OrderingFilter().to_html(view.request, Snippet.objects.all(), view)
    assert ">T - descending, id - ascending</option>" in html
    hidden = made_view("", ordering_fields=fields, ordering=["-id", "code"])
    assert choice(hidden) == (["", "id", "-id", "title", "-title"], ["-id"])
    computed = made_view("", ordering_fields=fields, ordering=[models.F("code").desc(), "id"])
    assert choice(computed)[1] == []


@override_settings(REST_FRAMEWORK={"SEARCH_PARAM": "q", "ORDERING_PARAM": "by"})
def test_names_of_parameters_follow_the_settings() -> None:
    assert SearchFilter().search_param == "q"
    assert ordering("by=title") == ["title"]


def test_schemas() -> None:
    for backend, name in ((SearchFilter(), "search"), (OrderingFilter(), "ordering")):
        assert [each["name"] for each in backend.get_schema_operation_parameters(None)] == [name]
        assert [each.name for each in backend.get_schema_fields(None)] == [name]
    base = filters.BaseFilterBackend()
    assert base.get_schema_operation_parameters(None) == base.get_schema_fields(None) == []
    with pytest.raises(NotImplementedError):
        base.filter_queryset(None, None, None)


# The browsable page


@pytest.mark.urls("contract_project.urls")
def test_the_page_shows_the_controls_of_filters_and_pagination() -> None:
    class Pages(PageNumberPagination):
        page_size = 2

    view = type(
        "Controlled",
        (generics.ListAPIView,),
        {
            "queryset": Snippet.objects.order_by("id"),
            "serializer_class": SnippetSerializer,
            "renderer_classes": [BrowsableAPIRenderer],
            "filter_backends": [SearchFilter, OrderingFilter],
            "search_fields": ["title", "code"],
            "pagination_class": Pages,
        },
    )
    response = view.as_view()(factory.get("/search/?search=code&ordering=-id"))
    html = response.render().content.decode()
    assert 'name="search" value="code"' in html
    assert '<option value="-id" selected>' in html
    assert '?ordering=-id&amp;page=2&amp;search=code"' in html


@pytest.mark.urls("contract_project.urls")
def test_a_filter_without_template_has_no_controls() -> None:
    quiet = [type("Quiet", (each,), {"template": None}) for each in (SearchFilter, OrderingFilter)]
    attributes = {"queryset": Snippet.objects.all(), "serializer_class": SnippetSerializer}
    attributes |= {"renderer_classes": [BrowsableAPIRenderer], "filter_backends": quiet}
    view = type("Quiet", (generics.ListAPIView,), {**attributes, "search_fields": ["title"]})
    response = view.as_view()(factory.get("/search/"))
    html = response.render().content.decode()
    assert 'name="search"' not in html
    assert "?ordering=" not in html


# The default of what may be ordered by, kept with the class


class Fewer(SnippetSerializer):
    """Shows what its context says."""

    def get_fields(self) -> Any:
        chosen = self.context["request"].query_params.get("fields", "id")
        return {name: super(Fewer, self).get_fields()[name] for name in chosen.split(",")}


class Popped(SnippetSerializer):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.context["request"].query_params.get("without"):
            self.fields.pop("title")


class Disguised(SnippetSerializer):
    @property
    def fields(self) -> Any:
        return {"id": super().fields["id"]}


@pytest.mark.parametrize(
    ("query", "serializer_class", "expected"),
    [
        ("fields=id,title", Fewer, ["title"]),
        ("fields=id", Fewer, None),
        ("", Popped, ["title"]),
        ("without=1", Popped, None),
        ("", Disguised, None),
        ("", SnippetSerializer, ["title"]),
    ],
)
def test_fields_that_depend_on_the_request(
    query: str, serializer_class: Any, expected: Any
) -> None:
    for _ in range(3):
        found = ordering(f"ordering=title&{query}", serializer_class=serializer_class)
        assert found == expected


def test_fields_that_change_later() -> None:
    class Own(serializers.Serializer):
        title = serializers.CharField()

    for _ in range(3):
        assert ordering("ordering=title", serializer_class=Own) == ["title"]
    Own._declared_fields["title"] = serializers.CharField(source="code")
    assert ordering("ordering=title", serializer_class=Own) is None
    assert ordering("ordering=code", serializer_class=Own) == ["code"]


def test_a_property_is_no_column() -> None:
    class Own(serializers.Serializer):
        key = serializers.IntegerField(source="pk")

    assert ordering("ordering=pk", serializer_class=Own) is None


def test_sliced_rows_keep_their_order() -> None:
    assert ordering("ordering=title", Snippet.objects.all()[:2]) is None


# On the event loop


class OwnTerms(SearchFilter):
    def get_search_terms(self, request: Any) -> list[str]:
        return [Snippet.objects.order_by("id")[0].title]


class OwnFilter(OrderingFilter):
    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        list(queryset)
        return super().filter_queryset(request, queryset, view)


class OwnRows(QuerySet):
    def filter(self, *args: Any, **kwargs: Any) -> Any:
        Snippet.objects.count()
        return super().filter(*args, **kwargs)


class ChosenByRow(generics.ListAPIView):
    def get_serializer_class(self) -> Any:
        Snippet.objects.count()
        return SnippetSerializer


SEARCHED = {"search_fields": ["title", "owner__username", "^code"]}


@pytest.mark.parametrize(
    ("backend", "query", "attributes", "rows", "expected"),
    [
        (SearchFilter, "search=a", SEARCHED, None, True),
        (SearchFilter, "", {}, None, True),
        (SearchFilter, "search=a", {"search_fields": ["$title"]}, None, False),
        (SearchFilter, "search=a", {"search_fields": ["created__year"]}, None, True),
        (SearchFilter, "search=1", {"search_fields": ["created__year__exact"]}, None, False),
        (SearchFilter, "search=a", SEARCHED, OwnRows(Snippet), False),
        (OwnTerms, "search=a", SEARCHED, None, False),
        (OrderingFilter, "", {}, None, True),
        (OrderingFilter, "ordering=title", {}, None, False),
        (OrderingFilter, "ordering=title", {"ordering_fields": ["title"]}, None, True),
        (OrderingFilter, "ordering=title", {"serializer_class": Fewer}, None, False),
        (OrderingFilter, "ordering=title", {"serializer_class": Popped}, None, False),
        (OrderingFilter, "ordering=title", {"serializer_class": None}, None, False),
        (OwnFilter, "", {}, None, False),
    ],
)
def test_filters_that_ask_no_database_stay_on_the_event_loop(
    backend: Any, query: str, attributes: Any, rows: Any, expected: bool
) -> None:
    view = made_view(query, **attributes)
    queryset = Snippet.objects.all() if rows is None else rows
    arguments = (view.request, queryset, view)
    assert is_prompt(backend(), "filter_queryset", *arguments) is expected
    if expected:
        with CaptureQueriesContext(connection) as queries:
            backend().filter_queryset(*arguments)
        assert not queries.captured_queries


def test_a_view_that_may_ask_the_database_for_its_serializer_does_so_in_a_thread() -> None:
    view = ChosenByRow()
    view.request = Request(factory.get("/?ordering=title"))
    arguments = (view.request, Snippet.objects.all(), view)
    assert not is_prompt(OrderingFilter(), "filter_queryset", *arguments)


# Changes after the first use


@pytest.mark.parametrize("on_class", [True, False])
@pytest.mark.parametrize(
    ("backend_class", "hook", "answer"),
    [
        (SearchFilter, "get_search_terms", ["beta"]),
        (SearchFilter, "get_search_fields", ["code"]),
        (SearchFilter, "construct_search", "title__startswith"),
        (OrderingFilter, "get_ordering", ["-id"]),
        (OrderingFilter, "remove_invalid_fields", ["-id"]),
    ],
)
def test_patched_hooks_of_filters_are_called_and_may_ask_a_database(
    backend_class: Any, hook: str, answer: Any, on_class: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = made_view("search=alpha&ordering=id", search_fields=["title"], ordering_fields=["id"])
    backend = backend_class()
    rows = Snippet.objects.all()
    arguments = (view.request, rows, view)
    backend.filter_queryset(*arguments)
    assert is_prompt(backend, "filter_queryset", *arguments)
    called: list[str] = []
    target = backend_class if on_class else backend
    monkeypatch.setattr(target, hook, lambda *args: called.append(hook) or answer)
    assert not is_prompt(backend, "filter_queryset", *arguments)
    backend.filter_queryset(*arguments)
    assert called


def test_a_queryset_with_its_own_filter_may_ask_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    view = made_view("search=alpha", search_fields=["title"])
    rows = Snippet.objects.all()
    assert is_prompt(SearchFilter(), "filter_queryset", view.request, rows, view)
    monkeypatch.setattr(QuerySet, "filter", lambda self, *args, **kwargs: self)
    assert not is_prompt(SearchFilter(), "filter_queryset", view.request, rows, view)


def test_what_may_order_is_asked_of_each_request() -> None:
    """Labels in the language of the request, fields as its context allows them."""

    class Secret(serializers.CharField):
        @property
        def write_only(self) -> bool:
            return "secret" in self.context["request"].query_params

        @write_only.setter
        def write_only(self, value: bool) -> None:
            pass

    class UserSerializer(serializers.ModelSerializer):
        email = Secret()

        class Meta:
            model = User
            fields = ["first_name", "email"]

    found = []
    for language, query in (("en", ""), ("de", "secret"), ("en", "secret"), ("de", "")) * 2:
        view = made_view(query, serializer_class=UserSerializer)
        with translation.override(language):
            context = {"request": view.request}
            valid = OrderingFilter().get_default_valid_fields(User.objects.all(), view, context)
            found.append([(name, str(label)) for name, label in valid])
    expected = [
        [("first_name", "First name"), ("email", "Email")],
        [("first_name", "Vorname")],
        [("first_name", "First name")],
        [("first_name", "Vorname"), ("email", "Email")],
    ]
    assert found == expected * 2


@pytest.mark.parametrize(
    ("pattern", "is_allowed"),
    [
        ("a.*b.*c", True),
        (r"^\d+-\d+-\d{4}$", True),
        ("colou?r?s?", True),
        (r"a{3}b{3}c{3}d{3}e{3}", True),
        (".*?a.*?b.*?", True),
        (".*.*.*.*x", False),
        ('"a{0,9}a{0,9}a{0,9}a{0,9}b"', False),
        ("a?" * 30 + "b", False),
        ("a+a+a+a+b", False),
        (r"(a)(b)\1\1\2\1", False),
    ],
)
def test_regular_expressions_with_many_repeats_are_refused(pattern: str, is_allowed: bool) -> None:
    """Matching one of them against a hundred characters takes seconds, for each row."""
    if is_allowed:
        search(pattern, "$title")
        return
    with pytest.raises(ValidationError) as caught:
        search(pattern, "$title")
    assert caught.value.get_codes() == ["regex_too_complex"]


@pytest.mark.parametrize("pattern", ["(?#[)(a+)+$(?#])", "(a+)(?#)+$"])
def test_comments_hide_no_repeats(pattern: str) -> None:
    """The first hangs for ever if what is between the comments is taken for a set."""
    with pytest.raises(ValidationError) as caught:
        search(pattern, "$title")
    assert caught.value.get_codes() == ["regex_too_complex"]


@pytest.fixture
def long_title() -> Snippet:
    owner = User.objects.first() or User.objects.create(username="long")
    return Snippet.objects.create(code="a" * 20_000, title="a" * 500, owner=owner)


@pytest.mark.parametrize(
    ("pattern", "field", "is_allowed"),
    [
        ("a*b", "$title", True),
        ("a*a*b", "$title", False),
        ("a*a*a*b", "$title", False),
        (".*.*b", "$title", False),
        (r'"(a*)\\1b"', "$title", False),
        ("(a|a)(a|aa)b", "$title", True),
        ("(a|a)" * 12 + "b", "$title", True),
        ("(a|a)" * 16 + "b", "$title", False),
        ("(?=.*b)", "$code", False),
        ("a*b", "$code", False),
        ('"a{0,100}b"', "$code", False),
        ("a*b", "$snippets__code", False),
        ("aaab", "$code", True),
        ('"a{9}b"', "$code", True),
        ('"(a{50}){50}b"', "$code", False),
        ("b|c|d", "$code", True),
        ("aaab " + "a*b", "$code", False),
    ],
)
def test_expressions_are_refused_where_the_texts_are_too_long_for_them(
    pattern: str, field: str, is_allowed: bool, long_title: Snippet
) -> None:
    rows: Any = User.objects.all() if "__" in field else Snippet.objects.all()
    view = made_view("", search_fields=[field])
    request = Request(factory.get("/", {"search": pattern}))
    if is_allowed:
        assert long_title not in SearchFilter().filter_queryset(request, rows, view)
        return
    with pytest.raises(ValidationError) as caught:
        SearchFilter().filter_queryset(request, rows, view)
    assert caught.value.get_codes() == ["regex_too_complex"]


def test_many_terms_share_the_steps(long_title: Snippet) -> None:
    view = made_view("", search_fields=["$title"])
    request = Request(factory.get("/", {"search": " ".join(["a*c"] * 90)}))
    with pytest.raises(ValidationError):
        SearchFilter().filter_queryset(request, Snippet.objects.all(), view)
    generous = type("Generous", (SearchFilter,), {"max_regex_steps": 10**9})
    assert not generous().filter_queryset(request, Snippet.objects.all(), view)


def test_how_many_repeats_are_allowed_is_up_to_the_filter() -> None:
    view = made_view("search=.*.*.*.*x", search_fields=["$title"])
    generous = type("Generous", (SearchFilter,), {"max_regex_repeats": 4})
    assert not generous().filter_queryset(view.request, Snippet.objects.all(), view)
