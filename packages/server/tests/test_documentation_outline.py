"""Pages of large APIs: as if everything were described, at the cost of what they show."""

import re
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.urls import path

from lintel import serializers
from lintel.documentation import get_docs_view, outline, views
from lintel.documentation.outline import outlined
from lintel.generics import ListCreateAPIView
from lintel.permissions import IsAuthenticated
from lintel.renderers import DocumentationRenderer
from lintel.schemas import AutoSchema, coreapi, extend_schema
from lintel.test import APIRequestFactory, force_authenticate
from lintel.versioning import QueryParameterVersioning

MANY = 60


class ThingSerializer(serializers.Serializer):
    name = serializers.CharField()


def view_of(number, **attributes):
    described = []

    def get_serializer(self, *args, **kwargs):
        described.append(number)
        return ThingSerializer()

    base = {"get_serializer": get_serializer, "described": described}
    return type(f"Things{number}", (ListCreateAPIView,), {**base, **attributes})


def api(**special):
    """Patterns of 120 operations, and the views behind them."""
    found = [view_of(n, **special.get(f"n{n}", {})) for n in range(MANY)]
    return [path(f"api/things{n}/", each.as_view()) for n, each in enumerate(found)], found


def page(patterns, query="", user=None, **options):
    view = get_docs_view(title="Many", patterns=patterns, **options)
    request = APIRequestFactory().get(f"/docs/{query}", headers={"accept": "text/html"})
    force_authenticate(request, user)
    return view(request).render().content.decode()


def in_full(monkeypatch, *args, **kwargs):
    with monkeypatch.context() as patched:
        patched.setattr(views, "outlined", lambda *given: None)
        return page(*args, **kwargs)


def listed(content):
    return content.count("data-operation-link")


def article(content, name):
    return re.search(rf'<article id="{name}".*?</article>', content, re.DOTALL)[0]


def test_one_operation_is_described_alone(monkeypatch):
    patterns, found = api()
    content = page(patterns, "?operation=things7-create")
    assert [each.described for each in found if each.described] == [found[7].described]
    full = in_full(monkeypatch, patterns, "?operation=things7-create")
    assert all(each.described for each in found)
    assert article(content, "things7-create") == article(full, "things7-create")
    assert content.count("<article") == content.count("data-operation-link") == 1
    assert 'href="/docs/"' in content


def test_a_list_is_what_it_would_be_if_everything_were_described(monkeypatch):
    patterns, _ = api(n3={"deprecated": True}, n4={"permission_classes": [IsAuthenticated]})
    for query in ("", "?operation=unknown"):
        content = page(patterns, query)
        assert content == in_full(monkeypatch, patterns, query)
        assert listed(content) == 120
        assert "<article" not in content


def test_a_list_describes_no_values(monkeypatch):
    calls = []
    monkeypatch.setattr(AutoSchema, "map_serializer", lambda *given: calls.append(given))
    patterns, _ = api()
    assert listed(page(patterns)) == 120
    assert not calls


def test_operations_that_the_caller_may_not_call_are_left_out(monkeypatch):
    closed = {"permission_classes": [IsAuthenticated]}
    patterns, _ = api(n3=closed)
    user = User(username="ann")
    for given in (None, user):
        for query in ("", "?operation=things3-list", "?operation=things4-list"):
            content = page(patterns, query, given, public=False)
            full = in_full(monkeypatch, patterns, query, given, public=False)
            shown = "<article id=[^ ]*" if query else "<a href=[^ ]*"
            assert re.findall(shown, content) == re.findall(shown, full)
            assert re.findall(shown, content) or "things3" in query


def test_one_operation_is_described_to_the_caller(monkeypatch):
    def get_serializer(self, *args, **kwargs):
        kind = serializers.ChoiceField([f"of {self.request.user}"])
        return type("ThingSerializer", (ThingSerializer,), {"kind": kind})()

    patterns, _ = api(n7={"get_serializer": get_serializer})
    for name in ("ann", "bob"):
        given = patterns, "?operation=things7-create", User(username=name)
        shown = article(page(*given, public=False), "things7-create")
        assert f"of {name}" in shown
        assert shown == article(in_full(monkeypatch, *given, public=False), "things7-create")


def test_operations_of_other_versions_are_left_out(monkeypatch):
    newer = extend_schema(versions=["2"])(view_of(3, versioning_class=Versions))
    patterns, _ = api()
    patterns[3] = path("api/things3/", newer.as_view())
    for query in ("?version=1", "?version=2", "?operation=things3-list&version=1"):
        content = versioned_page(patterns, query)
        with monkeypatch.context() as patched:
            patched.setattr(views, "outlined", lambda *given: None)
            assert content == versioned_page(patterns, query)
    shown = versioned_page(patterns, "?operation=things3-list&version=2")
    assert shown.count("<article") == 1


class Versions(QueryParameterVersioning):
    allowed_versions = ["1", "2"]


def versioned_page(patterns, query):
    view = get_docs_view(title="Many", patterns=patterns)
    view.cls = view.view_class = type("Versioned", (view.cls,), {"versioning_class": Versions})
    request = APIRequestFactory().get(f"/docs/{query}", headers={"accept": "text/html"})
    return view.cls.as_view(**view.initkwargs)(request).render().content.decode()


def test_an_api_that_fits_on_a_page_is_shown_in_full():
    patterns, _ = api()
    assert page(patterns[:50]).count("<article") == 100
    closed = api(**{f"n{n}": {"permission_classes": [IsAuthenticated]} for n in range(20)})[0]
    assert page(closed, public=False).count("<article") == 80
    assert "<article" not in page(closed)


def test_operations_that_share_a_name_are_told_apart(monkeypatch):
    patterns, _ = api()
    patterns += [path("api/things1-x/y/", view_of(70).as_view())]
    patterns += [path("api/things1/x-y/", view_of(71).as_view())]
    names = re.findall(r'"\?operation=([^"]*)"', page(patterns))
    assert len(names) == len(set(names)) == 124
    for name in (name for name in names if "y" in name):
        query = f"?operation={name}"
        full = in_full(monkeypatch, patterns, query)
        assert article(page(patterns, query), name) == article(full, name)


def test_a_project_that_decides_otherwise_is_described_as_a_whole():
    class Own(coreapi.SchemaGenerator):
        def get_links(self, request=None):
            links = super().get_links(request)
            del links["things3"]
            return links

    patterns, _ = api()
    assert listed(page(patterns, generator_class=Own)) == 118
    request = SimpleNamespace(query_params={}, version=None)
    patched = coreapi.SchemaGenerator(patterns=patterns)
    patched.get_links = Own(patterns=patterns).get_links
    assert outlined(patched, request, True) is None


def test_renderers_of_a_project_get_the_whole_document():
    class Own(DocumentationRenderer):
        def get_context(self, data, request):
            assert len(data) == MANY
            return super().get_context(data, request)

    patterns, _ = api()
    content = page(patterns, "?operation=things7-list", renderer_classes=[Own])
    assert content.count("data-operation-link") == 120
    assert outline.MOST_AT_ONCE == 100


def test_a_failing_view_is_described_by_its_path():
    def get_serializer(self, *args, **kwargs):
        raise ValueError

    patterns, _ = api(n5={"get_serializer": get_serializer})
    with pytest.warns(UserWarning, match="its fields are not known: ValueError"):
        content = page(patterns, "?operation=things5-create")
    assert "/api/things5/" in article(content, "things5-create")
