import functools
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from contract_project.models import Everything, Profile, Reservation, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Value
from django.db.models.functions import Lower
from django.db.models.signals import pre_save
from django.db.models.sql.compiler import SQLInsertCompiler, SQLUpdateCompiler
from django.test import override_settings
from django.test.utils import isolate_apps
from django.utils.connection import ConnectionDoesNotExist

from lintel import serializers


def made(model: Any, base: Any = None, declared: Any = (), **meta: Any) -> Any:
    """A serializer class for a model, with the options of its Meta."""
    options = type("Meta", (), {"model": model, **meta})
    bases = (base or serializers.ModelSerializer,)
    return type("SampleSerializer", bases, {**dict(declared), "Meta": options})


@contextmanager
def sample(columns: dict[str, Any], **meta: Any) -> Iterator[Any]:
    """A model that no other test sees."""
    with isolate_apps("contract_project"):
        options = type("Meta", (), {"app_label": "contract_project", **meta})
        yield type("Sample", (models.Model,), {"__module__": __name__, "Meta": options, **columns})


# ---- Meta ----


def test_mistakes_in_meta_are_named() -> None:
    class Empty(serializers.ModelSerializer):
        pass

    class WithoutModel(serializers.ModelSerializer):
        class Meta:
            fields = ["id"]

    for cls, advice in (
        (Empty, "needs `class Meta`"),
        (WithoutModel, "Set it to the model class"),
        (made(Tag), "list the fields"),
        (made(Tag, fields=["id"], exclude=["name"]), "Remove one of them"),
        (made(Tag, exclude=["nothing"]), "Remove it from the option"),
        (
            made(Tag, fields=["id"], declared={"x": serializers.CharField()}),
            "or remove the declaration",
        ),
        (
            made(Tag, exclude=["x"], declared={"x": serializers.CharField()}),
            "disable with `x = None`",
        ),
        (made(Tag, fields="__all__", depth=11), "It is 11 in SampleSerializer.Meta"),
    ):
        with pytest.raises(AssertionError, match=advice):
            _ = cls().fields


@pytest.mark.parametrize("option", ["fields", "exclude", "read_only_fields"])
def test_options_must_be_lists(option: str) -> None:
    meta = {"fields": "__all__"} if option == "read_only_fields" else {}
    with pytest.raises(TypeError, match=f"`{option}`"):
        _ = made(Tag, **{**meta, option: {"name"}})().fields


def test_unknown_names_are_configuration_errors() -> None:
    with pytest.raises(ImproperlyConfigured, match="Field name `colour` is not valid for model"):
        _ = made(Tag, fields=["colour"])().fields


def test_abstract_models_are_refused() -> None:
    with (
        sample({"n": models.IntegerField()}, abstract=True) as model,
        pytest.raises(ValueError, match="Sample: use a model that inherits"),
    ):
        _ = made(model, fields="__all__")().fields


def test_inherited_fields_may_be_left_out_or_taken_away() -> None:
    parent = made(Tag, fields=["note", "name"], declared={"note": serializers.CharField()})
    assert list(made(Tag, base=parent, fields=["name"])().fields) == ["name"]
    without = made(Tag, base=parent, fields="__all__", declared={"note": None})
    assert list(without().fields) == ["id", "name"]


def test_meta_is_never_changed() -> None:
    extra = {"name": {"label": "Label"}}
    cls = made(Tag, fields=["name"], extra_kwargs=extra, read_only_fields=["name"])
    assert cls().fields["name"].read_only
    assert extra == {"name": {"label": "Label"}}


def test_user_arguments_win_over_uniqueness_rules() -> None:
    cls = made(Reservation, fields=["room", "slot"], extra_kwargs={"slot": {"default": 9}})
    field = cls().fields["slot"]
    assert not field.required
    assert field.default == 9


def test_primary_key_that_is_a_read_only_relation() -> None:
    key = models.OneToOneField(User, models.CASCADE, primary_key=True, editable=False)
    with sample({"user": key}) as model:
        assert made(model, fields="__all__")().fields["user"].read_only


# ---- hooks ----


def test_every_step_may_be_overridden() -> None:
    seen = []

    class Upper(serializers.CharField):
        pass

    class Hooked(serializers.ModelSerializer):
        class Meta:
            model = Snippet
            fields = ["id", "title", "owner", "pk_text", "link"]

        def build_standard_field(self, field_name: str, model_field: Any) -> Any:
            seen.append(field_name)
            field_class, kwargs = super().build_standard_field(field_name, model_field)
            return (Upper, kwargs) if field_name == "title" else (field_class, kwargs)

        def build_relational_field(self, field_name: str, relation_info: Any) -> Any:
            seen.append(field_name)
            return serializers.StringRelatedField, {}

        def build_unknown_field(self, field_name: str, model_class: Any) -> Any:
            seen.append(field_name)
            return serializers.ReadOnlyField, {"source": "pk"}

    fields = Hooked().fields
    assert seen == ["id", "title", "owner", "pk_text", "link"]
    assert type(fields["title"]) is Upper
    assert isinstance(fields["owner"], serializers.StringRelatedField)
    assert Hooked().fields["title"] is not fields["title"]


def test_names_may_depend_on_the_instance() -> None:
    class Chosen(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = "__all__"

        def get_field_names(self, declared_fields: Any, info: Any) -> Any:
            names = super().get_field_names(declared_fields, info)
            return self.context.get("only", names)

    assert list(Chosen().fields) == ["id", "name"]
    assert list(Chosen(context={"only": ["name"]}).fields) == ["name"]
    assert list(Chosen().fields) == ["id", "name"]


def test_a_meta_that_changes_is_noticed() -> None:
    cls = made(Snippet, fields=["id", "owner"])
    assert isinstance(cls().fields["owner"], serializers.PrimaryKeyRelatedField)
    cls.Meta.depth = 1
    assert isinstance(cls().fields["owner"], serializers.ModelSerializer)
    cls.Meta.depth = 0
    cls.Meta.fields.append("title")
    assert list(cls().fields) == ["id", "owner", "title"]


def test_settings_that_change_are_noticed(settings: Any) -> None:
    cls = made(Tag, base=serializers.HyperlinkedModelSerializer, fields="__all__")
    assert list(cls().fields) == ["url", "name"]
    settings.REST_FRAMEWORK = {"URL_FIELD_NAME": "href"}
    assert list(cls().fields) == ["href", "name"]


def test_fields_of_two_serializers_are_independent() -> None:
    cls = made(Snippet, fields=["title", "tags"])
    first, second = cls().fields, cls().fields
    first["title"].required = True
    first["title"].validators.append(print)
    first["tags"].child_relation.queryset = Tag.objects.none()
    assert not second["title"].required
    assert print not in second["title"].validators
    assert print not in cls().fields["title"].validators
    assert second["tags"].child_relation.queryset is not first["tags"].child_relation.queryset


def test_limits_that_are_called_are_called_each_time() -> None:
    calls = []

    def limit() -> dict[str, Any]:
        calls.append("limit")
        return {"pk__gt": len(calls)}

    column = models.ForeignKey(User, models.CASCADE, limit_choices_to=limit, related_name="+")
    with sample({"user": column}) as model:
        cls = made(model, fields=["user"])
        first, second = cls().fields["user"], cls().fields["user"]
    assert "> 1" in str(first.queryset.query)
    assert "> 2" in str(second.queryset.query)


def test_choices_that_are_called_are_called_each_time() -> None:
    known = ["a"]
    column = models.CharField(max_length=9, choices=lambda: [(key, key) for key in known])
    with sample({"kind": column}) as model:
        cls = made(model, fields=["kind"])
        assert list(cls().fields["kind"].choices) == ["a"]
        known.append("b")
        assert list(cls().fields["kind"].choices) == ["a", "b"]


def test_mapping_that_is_extended_is_noticed() -> None:
    class OwnColumn(models.IntegerField):
        pass

    class OwnField(serializers.IntegerField):
        pass

    class Mapped(serializers.ModelSerializer):
        serializer_field_mapping = dict(serializers.ModelSerializer.serializer_field_mapping)

    with sample({"n": OwnColumn()}) as model:
        cls = made(model, base=Mapped, fields=["n"])
        assert type(cls().fields["n"]) is serializers.IntegerField
        Mapped.serializer_field_mapping[OwnColumn] = OwnField
        assert type(cls().fields["n"]) is OwnField


# ---- writing ----


@pytest.mark.django_db
def test_create_stores_columns_then_relations() -> None:
    user = User.objects.create(username="ann")
    tags = [Tag.objects.create(name=name) for name in "ab"]
    cls = made(Snippet, fields=["code", "owner", "tags"])
    serializer = cls(data={"code": "x", "owner": user.pk, "tags": [tag.pk for tag in tags]})
    serializer.is_valid(raise_exception=True)
    snippet = serializer.save(title="from the view")
    assert list(snippet.tags.order_by("pk")) == tags
    assert snippet.title == "from the view"
    assert serializer.data == {"code": "x", "owner": user.pk, "tags": [tag.pk for tag in tags]}


@pytest.mark.django_db
def test_update_changes_columns_then_relations() -> None:
    user = User.objects.create(username="ann")
    tag = Tag.objects.create(name="a")
    snippet = Snippet.objects.create(code="x", title="old", owner=user)
    serializer = made(Snippet, fields=["title", "tags"])(
        snippet, data={"title": "new", "tags": [tag.pk]}, partial=True
    )
    serializer.is_valid(raise_exception=True)
    assert serializer.save() is snippet
    snippet.refresh_from_db()
    assert (snippet.title, list(snippet.tags.all())) == ("new", [tag])


@pytest.mark.django_db
def test_reverse_relations_are_written_too() -> None:
    user = User.objects.create(username="ann")
    snippet = Snippet.objects.create(code="x", owner=User.objects.create(username="bob"))
    serializer = made(User, fields=["snippets"])(user, data={"snippets": [snippet.pk]})
    serializer.is_valid(raise_exception=True)
    serializer.save()
    snippet.refresh_from_db()
    assert snippet.owner == user


@pytest.mark.django_db
def test_values_that_are_no_columns_are_explained() -> None:
    cls = made(Profile, fields=["bio", "mood"], declared={"mood": serializers.CharField()})
    serializer = cls(data={"bio": "b", "mood": "m"})
    serializer.is_valid(raise_exception=True)
    with pytest.raises(TypeError, match=r"calling `Profile.objects.create\(\)`.*\n"):
        serializer.save()


@pytest.mark.django_db
def test_validated_data_stays_whole() -> None:
    user = User.objects.create(username="ann")
    data = {"code": "x", "owner": user, "tags": []}
    made(Snippet, fields=["code", "owner", "tags"])().create(data)
    assert list(data) == ["code", "owner", "tags"]


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "x" * 21, [], {}, 10**400])
def test_unstorable_text_is_an_error_of_the_input(text: Any) -> None:
    serializer = made(Everything, fields=["text"])(data={"text": text})
    assert not serializer.is_valid()


@pytest.mark.django_db
def test_numbers_out_of_range_are_errors_of_the_input() -> None:
    serializer = made(Everything, fields=["number"])(data={"number": 10**30})
    assert not serializer.is_valid()


def written(name: str, instance: Any = None) -> Any:
    serializer = made(Tag, fields=["name"])(instance, data={"name": name})
    serializer.is_valid(raise_exception=True)
    return serializer.save()


def listening(method: Any, heard: list[str]) -> Any:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        heard.append(method.__name__)
        return method(self, *args, **kwargs)

    return call


@pytest.mark.django_db
def test_rows_are_written_by_the_methods_of_django(monkeypatch: Any) -> None:
    written("changed", written("first"))
    heard: list[str] = []
    for owner, name in [
        (models.QuerySet, "create"),
        (Tag, "save"),
        (models.Model, "save_base"),
        (SQLInsertCompiler, "execute_sql"),
        (SQLUpdateCompiler, "execute_sql"),
    ]:
        monkeypatch.setattr(owner, name, listening(getattr(owner, name), heard))
    tag = written("second")
    assert heard == ["create", "save", "save_base", "execute_sql"]
    heard.clear()
    written("third", tag)
    assert heard == ["save", "save_base", "execute_sql"]


@pytest.mark.django_db
def test_the_default_manager_makes_the_row(monkeypatch: Any) -> None:
    monkeypatch.setattr(Tag.objects, "create", lambda **values: values, raising=False)
    assert made(Tag, fields=["name"])().create({"name": "a"}) == {"name": "a"}


@pytest.mark.django_db
def test_receivers_may_change_what_is_written() -> None:
    def change(instance: Any, **told: Any) -> None:
        instance.name = Lower(Value("BY RECEIVER"))

    pre_save.connect(change, sender=Tag)
    try:
        tag = written("a")
        assert Tag.objects.get(pk=tag.pk).name == "by receiver"
        Tag.objects.update(name="other")
        written("b", tag)
        assert Tag.objects.get(pk=tag.pk).name == "by receiver"
    finally:
        pre_save.disconnect(change, sender=Tag)


@pytest.mark.django_db
def test_a_row_that_is_gone_is_made_anew() -> None:
    tag = Tag.objects.create(name="a")
    Tag.objects.all().delete()
    written("b", tag)
    assert Tag.objects.get(pk=tag.pk).name == "b"


@pytest.mark.django_db
def test_deferred_columns_keep_what_they_have() -> None:
    pk = Profile.objects.create(user=User.objects.create(username="ann"), bio="old").pk
    profile = Profile.objects.only("user").get(pk=pk)
    Profile.objects.update(bio="new")
    serializer = made(Profile, fields=["user"])(profile, data={}, partial=True)
    serializer.is_valid(raise_exception=True)
    serializer.save()
    assert Profile.objects.get(pk=pk).bio == "new"


@pytest.mark.django_db
def test_an_instance_of_any_kind_is_saved() -> None:
    heard: list[str] = []
    instance = SimpleNamespace(save=lambda: heard.append("saved"))
    made(Tag, fields=["name"])().update(instance, {"name": "a"})
    assert (instance.name, heard) == ("a", ["saved"])


@pytest.mark.django_db
def test_the_router_chooses_the_database_that_is_written_to() -> None:
    class Elsewhere:
        def db_for_write(self, model: Any, **hints: Any) -> str:
            return "elsewhere"

    serializer = made(Tag, fields=["name"])()
    tag = serializer.create({"name": "a"})
    with override_settings(DATABASE_ROUTERS=[Elsewhere()]):
        with pytest.raises(ConnectionDoesNotExist, match="elsewhere"):
            serializer.create({"name": "b"})
        with pytest.raises(ConnectionDoesNotExist, match="elsewhere"):
            serializer.update(tag, {"name": "b"})


# ---- whole objects ----


@pytest.mark.django_db
def test_depth_shows_related_objects_and_their_keys() -> None:
    user = User.objects.create(username="ann")
    snippet = Snippet.objects.create(code="x", owner=user)
    snippet.tags.add(Tag.objects.create(id=4, name="a"))
    data = made(Snippet, fields=["owner", "tags"], depth=1)(snippet).data
    assert data["tags"] == [{"id": 4, "name": "a"}]
    assert data["owner"]["username"] == "ann"


def test_nested_serializers_follow_the_kind_of_the_outer_one() -> None:
    plain = made(Snippet, fields=["owner"], depth=2)().fields["owner"]
    linked = made(
        Snippet, base=serializers.HyperlinkedModelSerializer, fields=["owner"], depth=2
    )().fields["owner"]
    assert type(plain).__mro__[1] is serializers.ModelSerializer
    assert type(linked).__mro__[1] is serializers.HyperlinkedModelSerializer
    assert plain.Meta.depth == 1


def test_a_subclass_chooses_the_model_fields_whose_rules_count():
    class TagSerializer(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["name"]

        def _get_model_fields(self, field_names, declared_fields, extra_kwargs):
            asked.append(self.context["at"])
            return super()._get_model_fields(field_names, declared_fields, extra_kwargs)

    asked = []
    for at in (1, 2):
        assert list(TagSerializer(context={"at": at}).fields) == ["name"]
    assert asked == [1, 2]
    columns = TagSerializer(context={"at": 3})._get_model_fields(
        ["label", "other"], {}, {"label": {"source": "name"}}
    )
    assert columns == {"name": Tag._meta.get_field("name")}


@isolate_apps("contract_project")
def test_the_rows_behind_a_relation_to_another_column_are_known_by_their_keys() -> None:
    class Shelf(models.Model):
        code = models.SlugField(unique=True)

        class Meta:
            app_label = "contract_project"

    class Box(models.Model):
        shelf = models.ForeignKey(Shelf, models.CASCADE, to_field="code", related_name="boxes")

        class Meta:
            app_label = "contract_project"

    boxes = made(Shelf, fields=["boxes"])().fields["boxes"].child_relation
    assert type(boxes) is serializers.PrimaryKeyRelatedField
    shelf = made(Box, fields=["shelf"])().fields["shelf"]
    assert (type(shelf), shelf.slug_field) == (serializers.SlugRelatedField, "code")


@pytest.mark.django_db
def test_rules_added_to_a_model_count_for_a_serializer_that_has_been_read() -> None:
    """Whether the fields of the serializer were made before, by reading, or by validating."""

    class NamedTag(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ("name",)

    tag = Tag.objects.create(name="a")

    def changed(name: str) -> bool:
        serializer = NamedTag(tag, data={"name": name})
        assert serializer.to_representation(tag) == {"name": "a"}
        return bool(serializer.is_valid())

    assert changed("b")
    validators = Tag._meta.get_field("name").validators
    validators.append(RegexValidator("^z"))
    try:
        assert [changed("b") for _ in range(3)] == [False] * 3
    finally:
        validators.pop()
    assert changed("b")
