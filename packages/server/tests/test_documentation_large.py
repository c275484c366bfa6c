"""Pages of more than a thousand operations: what a part costs, counted in what is described."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.urls import include, path
from django.utils import translation

from lintel import filters, serializers, viewsets
from lintel.documentation import DocumentationRenderer, get_docs_view, include_docs_urls
from lintel.permissions import IsAuthenticated
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import AutoSchema, extend_schema
from lintel.test import APIRequestFactory, force_authenticate
from lintel.views import APIView

WORDS = ["account", "booking", "channel", "delivery", "employee", "feature", "guest", "hotel"]

#: 241 groups, as large projects have them.
NAMES = [
    f"{word}{kind}{number}" for number in range(11) for word in WORDS for kind in ("", "s", "x")
]
NAMES = NAMES[:241]


class RowSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="Shown in lists and in search results.")
    kind = serializers.ChoiceField(["draft", "open", "closed"])
    starts = serializers.DateTimeField(required=False)
    price = serializers.DecimalField(max_digits=10, decimal_places=2)
    rows = serializers.ListField(child=serializers.IntegerField())


def viewset(name, **attributes):
    base = {"serializer_class": RowSerializer}
    base |= {"filter_backends": [filters.SearchFilter], "permission_classes": [IsAuthenticated]}
    base |= {"http_method_names": ["get", "post", "put", "delete"], **attributes}
    return type(name.title(), (viewsets.ModelViewSet,), base)


def urls(names=NAMES):
    router = SimpleRouter()
    for name in names:
        router.register(name, viewset(name), basename=name)
    return [path("api/", include(router.urls))]


LARGE = urls()
MANY = urls(NAMES[:24])

SCRIPT = "schema.js?cache=1"

pytestmark = pytest.mark.urls(__name__)
urlpatterns = [
    path("docs/", include_docs_urls(patterns=MANY)),
    path("plain/", include_docs_urls(patterns=MANY, renderer_classes=[DocumentationRenderer])),
]


def answer(query="", accept="text/html", patterns=MANY, user=None, headers=(), **options):
    view = get_docs_view(title="Large", patterns=patterns, **options)
    given = {"accept": accept, **dict(headers)}
    request = APIRequestFactory().get(f"/docs/{query}", headers=given)
    force_authenticate(request, user)
    response = view(request)
    return getattr(response, "render", lambda: response)()


def page(query="", **options):
    return answer(query, **options).content.decode()


@pytest.fixture
def described(monkeypatch):
    """The operations whose parameters, serializers and responses were described."""
    found = []

    def counted(name):
        method = getattr(AutoSchema, name)

        def describe(self, *args):
            found.append((name, type(self.view).__name__))
            return method(self, *args)

        monkeypatch.setattr(AutoSchema, name, describe)

    for name in ("map_serializer", "map_field"):
        counted(name)
    method = filters.SearchFilter.get_schema_operation_parameters

    def parameters(self, view):
        found.append(("parameters", type(view).__name__))
        return method(self, view)

    monkeypatch.setattr(filters.SearchFilter, "get_schema_operation_parameters", parameters)
    return found


def test_the_first_page_lists_every_operation_in_few_bytes_and_describes_none(described):
    content = page(patterns=LARGE)
    assert content.count("data-operation-link") == 1205
    assert len(content.encode()) < 300_000
    assert "<article" not in content
    assert described == []
    assert content.count("data-group") == 241


def test_a_group_is_described_alone(described):
    content = page("?group=hotels0")
    found = re.findall(r'<article id="([^"]*)"', content)
    assert found == [f"hotels0-{name}" for name in ("list", "read", "create", "update", "delete")]
    assert {view for _, view in described} == {"Hotels0"}
    assert " closed" not in content
    assert 'href="/docs/"' in content


@pytest.mark.parametrize(
    ("query", "name"),
    [("", ""), ("?group=hotels0", "Hotels0 – "), ("?operation=hotels0-list", "Hotels0 – ")],
)
def test_titles_of_parts_begin_with_their_group(query, name):
    shown = re.search("<title>(.*)</title>", page(query))[1]
    whole = re.search("<title>(.*)</title>", page())[1]
    assert shown == f"{name}{whole}"


def test_an_operation_is_described_alone(described):
    content = page("?operation=hotels0-list")
    assert re.findall(r'<article id="([^"]*)"', content) == ["hotels0-list"]
    assert {view for _, view in described} == {"Hotels0"}
    assert ("parameters", "Hotels0") in described


def test_operations_of_a_group_are_those_of_pages_of_their_own():
    whole = page("?group=hotel0")
    for name in ("list", "create", "delete"):
        alone = page(f"?operation=hotel0-{name}")
        shown = re.search(rf'<article id="hotel0-{name}".*?</article>', alone, re.DOTALL)[0]
        assert shown in whole


def test_a_large_group_lists_its_operations():
    class Many(APIView):
        def get(self, request):
            return Response()

    patterns = [path(f"api/things/n{n}/", Many.as_view()) for n in range(101)]
    content = page("?group=things", patterns=[*patterns, *urls(["hotel"])])
    assert content.count("<article") == content.count(" closed") == 101
    assert "things-n7-list" in content


def test_operations_outside_of_groups_are_a_group():
    class Alone(APIView):
        def get(self, request):
            return Response()

        post = get

    patterns = [*MANY[0].url_patterns, path("", Alone.as_view())]
    assert "?group=#" in page(patterns=patterns)
    alone = page("?group=", patterns=patterns)
    assert re.findall(r'<article id="([^"]*)"', alone) == ["-list", "-create"]


@pytest.mark.parametrize(
    "query", ["?group=nothing", "?operation=nothing", "?group=&operation=", "?group=%00%ff"]
)
def test_an_unknown_part_is_the_whole_list(query):
    response = answer(query)
    assert response.status_code == 200
    assert response.content.decode().count("data-group") == 24


def test_a_part_of_a_small_api_is_shown_alone_too():
    small = urls(["hotel", "guest"])
    assert page(patterns=small).count("<article") == 10
    assert page("?group=guest", patterns=small).count("<article") == 5


def test_groups_whose_operations_the_caller_may_not_call_are_left_out():
    assert answer(public=False).status_code in (401, 403)
    user = User(username="ann")
    assert page(public=False, user=user).count("data-group") == 24
    shut = [
        *MANY,
        path("api/open/", viewset("open", permission_classes=[]).as_view({"get": "list"})),
    ]
    assert page("?group=hotel0", public=False, patterns=shut).count("hotel0") == 0
    assert page("?group=open", public=False, patterns=shut).count("<article") == 1


def test_core_json_of_a_part_has_only_that_part():
    core = "application/coreapi+json"
    part = json.loads(answer("?operation=hotel0-create", accept=core).content)
    assert {key for key in part if not key.startswith("_")} == {"hotel0"}
    assert list(part["hotel0"]) == ["create"]
    names = [field["name"] for field in part["hotel0"]["create"]["fields"]]
    assert names == ["name", "kind", "starts", "price", "rows"]
    whole = json.loads(answer(accept=core).content)
    assert len(whole) == 24 + 2
    assert part["hotel0"]["create"] == whole["hotel0"]["create"]
    group = json.loads(answer("?group=hotel0", accept=core).content)
    assert group["hotel0"] == whole["hotel0"]
    for query in ("?group=nothing", "?operation=nothing"):
        found = json.loads(answer(query, accept=core).content)
        assert {**found, "_meta": None} == {**whole, "_meta": None}


def test_a_page_that_cannot_ask_for_core_json_loads_its_script(client):
    assert SCRIPT not in client.get("/docs/").content.decode()
    assert SCRIPT not in client.get("/docs/?group=hotel0").content.decode()
    assert SCRIPT in client.get("/plain/").content.decode()


def test_an_excluded_group_is_shown_nowhere():
    hidden = extend_schema(exclude=True)(viewset("secret"))
    router = SimpleRouter()
    router.register("secret", hidden, basename="secret")
    patterns = [*MANY, path("api/", include(router.urls))]
    assert "secret" not in page(patterns=patterns)
    assert "/api/secret/" not in page("?group=secret", patterns=patterns)


@pytest.mark.parametrize("query", ["", "?group=hotel0", "?operation=hotel0-list"])
def test_each_part_has_a_validator_of_its_own(query):
    def tag(patterns=MANY, **options):
        return answer(query, keeps_documents=True, patterns=patterns, **options)["ETag"]

    first = tag()
    assert answer(query, keeps_documents=True, headers={"if-none-match": first}).status_code == 304
    with translation.override("de"):
        assert tag() != first
    changed = [path("api/hotel0/", viewset("hotel0", deprecated=True).as_view({"get": "list"}))]
    assert tag([*changed, *MANY]) != first
    ann, bob = (tag(user=User(username=name)) for name in ("ann", "bob"))
    assert len({first, ann, bob}) == 3  # each page names its reader
