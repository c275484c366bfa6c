"""What operations share is found out once for a document, counted in calls."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import include, path
from django_filters import rest_framework as django_filters

from lintel import serializers, viewsets
from lintel.authentication import BaseAuthentication
from lintel.generics import ListAPIView
from lintel.routers import SimpleRouter
from lintel.schemas import AutoSchema, enums
from lintel.schemas.extensions import OpenApiSerializerFieldExtension
from lintel.schemas.openapi import SchemaGenerator


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


def document(*views, version="3.1.0", **routed):
    class Generator(SchemaGenerator):
        openapi_version = version

    router = SimpleRouter()
    for name, viewset in routed.items():
        router.register(name, viewset, basename=name)
    patterns = [path(f"view{number}/", view.as_view()) for number, view in enumerate(views)]
    return Generator(patterns=[path("", include(router.urls)), *patterns]).get_schema(public=True)


def filtered(asked=None, **attributes):
    def get_queryset(self):
        asked.append(self.action)
        return Group.objects.all()

    base = {"queryset": Group.objects.all(), "serializer_class": GroupSerializer}
    base |= {"filter_backends": [django_filters.DjangoFilterBackend], "filterset_fields": ["name"]}
    base |= {"filter_fields_everywhere": True}
    base |= {} if asked is None else {"get_queryset": get_queryset}
    return type("Groups", (viewsets.ModelViewSet,), {**base, **attributes})


@pytest.fixture
def made(monkeypatch):
    """The classes of filters that django-filter makes of names of fields."""
    found = []
    method = django_filters.FilterSet.get_filters.__func__

    def get_filters(cls):
        found.append(cls)
        return method(cls)

    monkeypatch.setattr(django_filters.FilterSet, "get_filters", classmethod(get_filters))
    return found


@pytest.mark.parametrize("version", ["3.0.2", "3.1.0"])
def test_a_class_of_filters_is_made_once(made, version):
    found = document(groups=filtered(), version=version)
    assert len(made) == 1
    for method in ("get", "put", "patch", "delete"):
        parameters = found["paths"]["/groups/{id}/"][method]["parameters"]
        assert [each["name"] for each in parameters] == ["id", "name"]


def test_rows_are_asked_once_for_the_filters_of_a_route():
    asked = []
    document(groups=filtered(asked))
    assert sorted(asked) == ["list", "retrieve"]


def test_views_with_the_same_names_and_other_rows_have_filters_of_their_own():
    fields = ["name"]
    other = filtered(queryset=Permission.objects.all(), filterset_fields=fields)
    found = document(groups=filtered(filterset_fields=fields), permissions=other)
    descriptions = [
        found["paths"][address]["get"]["parameters"][0]["schema"]
        for address in ("/groups/", "/permissions/")
    ]
    assert descriptions == [{"type": "string"}, {"type": "string"}]


def test_names_of_filters_may_differ_by_action():
    def filterset_fields(self):
        return ["name"] if self.action == "list" else ["id"]

    found = document(groups=filtered(filterset_fields=property(filterset_fields)))["paths"]
    listed = [each["name"] for each in found["/groups/"]["get"]["parameters"]]
    assert listed == ["name"]
    for method in ("get", "put", "delete"):
        parameters = found["/groups/{id}/"][method]["parameters"]
        assert [each["name"] for each in parameters] == ["id", "id"]


def test_what_a_schema_changes_in_a_parameter_stays_with_its_operation():
    class Changing(AutoSchema):
        def get_operation(self, path, method):
            operation = super().get_operation(path, method)
            if method == "PUT":
                operation["parameters"][-1]["schema"]["maxLength"] = 3
            return operation

    found = document(groups=filtered(schema=Changing()))["paths"]["/groups/{id}/"]
    lengths = {name: found[name]["parameters"][-1]["schema"].get("maxLength") for name in found}
    assert lengths == {"get": None, "put": 3, "patch": None, "delete": None}


class Stateless(BaseAuthentication):
    asked = 0

    def get_openapi_security_scheme(self):
        type(self).asked += 1
        return {"type": "http", "scheme": "bearer"}


class Named(BaseAuthentication):
    def __init__(self, name):
        self.openapi_security_name = name

    def get_openapi_security_scheme(self):
        return {"type": "apiKey", "in": "header", "name": self.openapi_security_name}


def listing(name, **attributes):
    schema = AutoSchema(operation_id_base=name)
    base = {"schema": schema, "queryset": Group.objects.all(), "serializer_class": GroupSerializer}
    return type("Listing", (ListAPIView,), {**base, **attributes})


def test_a_class_of_authentication_is_asked_once():
    before = Stateless.asked
    views = [listing(name, authentication_classes=[Stateless]) for name in ("A", "B", "C")]
    found = document(*views)
    assert Stateless.asked - before == 1
    assert all(each["get"]["security"] for each in found["paths"].values())


def test_authentication_with_a_state_of_its_own_is_asked_each_time():
    def named(name):
        return listing(name, get_authenticators=lambda self: [Named(name)])

    found = document(named("one"), named("two"))
    assert set(found["components"]["securitySchemes"]) == {"one", "two"}


def test_a_class_without_an_extension_is_looked_up_once(monkeypatch):
    asked = []

    class Extension(OpenApiSerializerFieldExtension):
        target_class = "nowhere.Field"
        optional = True

        @classmethod
        def get_match(cls, target):
            asked.append(type(target))
            return

    monkeypatch.setattr(OpenApiSerializerFieldExtension, "registry", [Extension])
    monkeypatch.setattr(OpenApiSerializerFieldExtension, "get_match", Extension.get_match)
    document(listing("A"), listing("B"), groups=filtered())
    assert asked
    assert len(asked) == len(set(asked))


def test_a_choice_is_described_once_for_both_directions(monkeypatch):
    calls = []
    original = enums.choices_schema
    monkeypatch.setattr(
        enums, "choices_schema", lambda *given: calls.append(given) or original(*given)
    )

    class KindSerializer(serializers.Serializer):
        kind = serializers.ChoiceField(["a", "b"])

    document(things=filtered(serializer_class=KindSerializer, filter_backends=[]))
    assert len(calls) == 1


class Alike(serializers.ChoiceField):
    """Fields that are all equal, and have no hash."""

    __hash__ = None

    def __eq__(self, other):
        return True


def test_fields_that_are_equal_are_told_apart():
    class AlikeSerializer(serializers.Serializer):
        one = Alike(["a", "b"], label="The first")
        two = Alike(["c", "d"], label="The second")

    things = filtered(serializer_class=AlikeSerializer, filter_backends=[])
    found = document(things=things)["components"]["schemas"]
    enums_of = [found[name]["enum"] for name in ("AlikeOneEnum", "AlikeTwoEnum")]
    assert enums_of == [["a", "b"], ["c", "d"]]


def labels(prefix=""):
    """A class of its own each time, and a view that uses it."""

    class LabelSerializer(serializers.ModelSerializer):
        note = serializers.CharField(max_length=5, default="none")

        class Meta:
            model = Group
            fields = ["id", "name", "note"]

        def get_fields(self):
            fields = super().get_fields()
            fields["name"].label = prefix
            return fields

    class PlainSerializer(serializers.Serializer):
        labels = LabelSerializer(many=True)

    class Labels(ListAPIView):
        queryset = Group.objects.all()
        serializer_class = PlainSerializer

    return Labels, PlainSerializer, LabelSerializer


@pytest.mark.parametrize("version", ["3.0.2", "3.1.0"])
def test_a_description_compiles_no_serializer(version):
    view, *classes = labels("Short")
    described = document(view, version=version)["components"]["schemas"]["Plain"]
    assert "labels" in described["properties"]
    assert [cls.__dict__.get("_lintel_state") for cls in classes] == [None, None]


@pytest.mark.compiled
def test_compiled_serializers_are_described_like_others():
    view, plain, _ = labels("Short")
    before = document(view)
    group = Group(pk=1, name="blue")
    group.note = "five"
    assert plain({"labels": [group]}).data == {
        "labels": [{"id": 1, "name": "blue", "note": "five"}]
    }
    assert plain._lintel_state.owner is plain
    assert document(view) == before


@pytest.mark.compiled
def test_a_failing_description_leaves_compiling_on():
    view, plain, _ = labels()

    class Failing(view):
        def get_serializer(self, *args, **kwargs):
            raise RuntimeError("no serializer")

    with pytest.warns(UserWarning, match="no serializer"):
        document(Failing)
    assert plain({"labels": []}).data == {"labels": []}
    assert plain._lintel_state.owner is plain
