"""Generated code equals the plain path for relations, files, containers and random Metas."""

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
from contract_project import fixtures
from contract_project.models import Everything, Profile, Snippet, Tag, User
from django.core.files.base import ContentFile
from django.db.models import FileField
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel import serializers
from lintel.fast.compiled import MANY_CLASSES, class_state
from lintel.serializers.declared import plain_representation
from lintel.test import APIRequestFactory

pytestmark = pytest.mark.django_db

MODELS = [Snippet, User, Profile, Tag, Everything]
NUMBERS = itertools.count()
CONTEXT = {"request": APIRequestFactory().get("/")}


@pytest.fixture(autouse=True)
def _rows() -> None:
    fixtures.load()


def outcome(call: Any, *arguments: Any) -> tuple[str, str]:
    try:
        return "value", repr(call(*arguments))
    except serializers.ValidationError as error:
        return "refused", repr(error.get_full_details())
    except Exception as error:
        return type(error).__name__, str(error)


def plain(serializer: Any) -> Any:
    """The same serializer without anything generated: none of its fields is as it was made."""
    for field in serializer.fields.values():
        field.touched = True
        inner = getattr(field, "child", field)
        if isinstance(inner, serializers.Serializer):
            plain(inner)
    return serializer


def assert_same(cls: Any, rows: Any, instances: Any) -> None:
    class_state(cls)
    for row in rows:
        for partial in (False, True):
            generated = cls(partial=partial, context=CONTEXT)
            other = plain(cls(partial=partial, context=CONTEXT))
            assert outcome(generated.run_validation, row) == outcome(other.run_validation, row)
    for instance in instances:
        generated, other = cls(context=CONTEXT), plain(cls(context=CONTEXT))
        expected = outcome(plain_representation, other, instance)
        assert outcome(generated.to_representation, instance) == expected


def test_the_other_side_is_plain() -> None:
    cls = type("Sample", (serializers.Serializer,), {"value": Inner()})
    class_state(cls)
    other = plain(cls())
    other.run_validation({"value": {"name": "a"}})
    other.to_representation({"value": {"name": "a", "size": 1}})
    assert cls._lintel_state.compiled is None


# ---- relations, files and containers of serializers ----


class Inner(serializers.Serializer):
    name = serializers.CharField(max_length=4)
    size = serializers.IntegerField(default=1, min_value=0)


def tags(cls: Any, **flags: Any) -> Any:
    read_only = {"read_only": True} if flags.pop("read_only", False) else {}
    source = read_only or {"queryset": Tag.objects.all()}
    return cls(**source, **flags)


FIELDS: dict[str, Any] = {
    "key": lambda **flags: tags(serializers.PrimaryKeyRelatedField, **flags),
    "keys": lambda **flags: tags(serializers.PrimaryKeyRelatedField, many=True, **flags),
    "filled_keys": lambda **flags: tags(
        serializers.PrimaryKeyRelatedField, many=True, allow_empty=False, **flags
    ),
    "typed_key": lambda **flags: tags(
        serializers.PrimaryKeyRelatedField, pk_field=serializers.IntegerField(), **flags
    ),
    "slug": lambda **flags: tags(serializers.SlugRelatedField, slug_field="name", **flags),
    "slugs": lambda **flags: tags(
        serializers.SlugRelatedField, slug_field="name", many=True, **flags
    ),
    "text": lambda **flags: serializers.StringRelatedField(
        **{key: value for key, value in flags.items() if key == "source"}
    ),
    "file": serializers.FileField,
    "path": lambda **flags: serializers.FileField(use_url=False, max_length=5, **flags),
    "nested": Inner,
    "nested_list": lambda **flags: Inner(many=True, **flags),
    "list": lambda **flags: serializers.ListField(child=Inner(), max_length=2, **flags),
    "dict": lambda **flags: serializers.DictField(child=Inner(), **flags),
    "lists": lambda **flags: serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), **flags
    ),
    "key_list": lambda **flags: serializers.ListField(
        child=tags(serializers.PrimaryKeyRelatedField), **flags
    ),
    "values": lambda **flags: serializers.DictField(child=serializers.DateField(), **flags),
}
FLAGS = [
    {},
    {"required": False},
    {"allow_null": True},
    {"source": "inner.deep"},
    {"read_only": True},
    {"allow_null": True, "required": False},
]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 5),
    st.sampled_from(["1", "red", "green", "", "x" * 5, "2026-01-02", 1.0, 2**70, "\0"]),
)
ITEMS = st.one_of(
    SCALARS,
    st.fixed_dictionaries({}, optional={"name": SCALARS, "size": SCALARS, "more": SCALARS}),
)
VALUES = st.one_of(
    ITEMS,
    st.lists(st.one_of(ITEMS, st.lists(SCALARS, max_size=2)), max_size=3),
    st.dictionaries(st.sampled_from(["a", "b", "name"]), ITEMS, max_size=2),
    st.builds(lambda text: ContentFile(text, name=text[:6] or None), st.text("ab", max_size=8)),
)


def instances(value: Any) -> list[Any]:
    """Objects and dicts that lead to a value, to a row, to rows and to a file."""
    first, rows = Tag.objects.first(), list(Tag.objects.all()[:2])
    file = Everything(upload="up/a.txt").upload
    found = []
    for one in (value, first, rows, Tag.objects.all(), file, Tag(name="new")):
        inner = SimpleNamespace(deep=one)
        found += [SimpleNamespace(value=one, inner=inner), {"value": one, "inner": {"deep": one}}]
    return [*found, {}, SimpleNamespace(inner=None)]


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize("number", range(len(FLAGS)))
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_fields(kind: str, number: int, data: Any) -> None:
    cls = type("Generated", (serializers.Serializer,), {"value": FIELDS[kind](**FLAGS[number])})
    values = [data.draw(VALUES) for _ in range(4)]
    assert_same(cls, [{}, *({"value": value} for value in values)], instances(values[0]))


@pytest.mark.parametrize("deferred", ["date_joined", "username", "id"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_missing_columns_below_nested_classes_made_so_often_that_they_wait(
    depth: int, deferred: str
) -> None:
    for _ in range(MANY_CLASSES):
        options = {"model": User, "depth": depth, "fields": ["id", "password", "snippets"]}
        cls: Any = type("Often", (serializers.ModelSerializer,), {"Meta": type("", (), options)})
        expected = cls(User.objects.all(), many=True).data
        assert cls(User.objects.defer(deferred), many=True).data == expected


# ---- model serializers with a random Meta ----


def names_of(model: Any) -> list[str]:
    forward = [field.name for field in (*model._meta.fields, *model._meta.many_to_many)]
    reverse = [one.get_accessor_name() for one in model._meta.related_objects]
    return [*forward, *(name for name in reverse if name in ("snippets", "profile")), "pk"]


@st.composite
def metas(draw: Any) -> Any:
    """A ModelSerializer class with random options, all of which make sense."""
    model = draw(st.sampled_from(MODELS))
    names = names_of(model)
    some = st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=6)
    options: dict[str, Any] = {"model": model, "depth": draw(st.integers(0, 2))}
    style = draw(st.sampled_from(["fields", "exclude", "all"]))
    columns = [field.name for field in model._meta.fields]
    if style == "fields":
        options["fields"] = draw(some)
    elif style == "exclude":
        options["exclude"] = draw(
            st.lists(st.sampled_from(columns), unique=True, min_size=1, max_size=3)
        )
    else:
        options["fields"] = "__all__"
    options["read_only_fields"] = draw(st.lists(st.sampled_from(columns), max_size=2))
    options["extra_kwargs"] = {
        name: draw(
            st.sampled_from([{}, {"write_only": True}, {"required": False}, {"help_text": "a"}])
        )
        for name in draw(some)
        if name not in options["read_only_fields"]
    }
    options["extra"] = draw(st.sampled_from(["ignore", "forbid"]))
    meta = type("Meta", (), options)
    return type(f"Random{next(NUMBERS)}", (serializers.ModelSerializer,), {"Meta": meta})


@st.composite
def inputs(draw: Any, model: Any) -> Any:
    """A row of input: what a row of the table shows, with some values replaced."""
    row: dict[str, Any] = {}
    instance = model.objects.order_by("pk" if draw(st.booleans()) else "-pk").first()
    for field in (*model._meta.fields, *model._meta.many_to_many):
        if instance is not None and not isinstance(field, FileField):
            row[field.name] = draw(st.one_of(SCALARS, st.just(_shown(instance, field))))
    for name in draw(st.lists(st.sampled_from([*row, "odd"]), max_size=3)):
        row.pop(name, None) if name in row else row.update({name: 1})
    return row


def _shown(instance: Any, field: Any) -> Any:
    value = field.value_from_object(instance)
    return [one.pk for one in value] if field.many_to_many else value


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_model_serializers(data: Any) -> None:
    cls = data.draw(metas())
    model = cls.Meta.model
    try:
        cls().get_fields()
    except (AssertionError, TypeError, ValueError):
        return
    rows = [data.draw(inputs(model)) for _ in range(3)]
    assert_same(cls, [{}, *rows], [*model.objects.all()[:3], model()])
    assert_same_lists(cls, model)


def assert_same_lists(cls: Any, model: Any) -> None:
    """From rows, from instances and from evaluated querysets, as by the fields one by one."""
    other = plain(cls(context=CONTEXT))
    expected = outcome(lambda: [plain_representation(other, one) for one in model.objects.all()])
    evaluated = model.objects.all()
    assert len(evaluated) == model.objects.count()
    related = [field.name for field in model._meta.many_to_many]
    joined = [field.name for field in model._meta.fields if field.many_to_one]
    for source in (
        model.objects.all(),
        list(model.objects.all()),
        evaluated,
        model.objects.select_related(*joined or [None]).prefetch_related(*related),
        model.objects.defer(model._meta.fields[-1].name),
    ):
        found = cls(source, many=True, context=CONTEXT)
        assert outcome(lambda found=found: list(found.data)) == expected


def test_fields_of_a_nested_class_that_cannot_be_made_fail_where_they_are_needed() -> None:
    class Broken(serializers.ModelSerializer):
        class Meta:
            model = Profile
            fields = ["id"]
            extra_kwargs = {"id": {"read_only": True, "write_only": True}}

    class Outer(serializers.Serializer):
        name = serializers.CharField()
        profile = Broken(read_only=True, allow_null=True)

    absent, present = ({"name": "a", "profile": each} for each in (None, Profile.objects.first()))
    for _ in range(2):
        assert Outer(absent).data == absent
        assert Outer([], many=True).data == []
        with pytest.raises(AssertionError, match="both `read_only` and `write_only`"):
            _ = Outer(present).data

    Broken.Meta.extra_kwargs = {}
    assert Outer(present).data["profile"] == {"id": present["profile"].pk}


def test_fields_of_a_relation_that_is_none_are_not_made() -> None:
    class OfRequest(serializers.CharField):
        def bind(self, field_name: str, parent: Any) -> None:
            super().bind(field_name, parent)
            self.label = self.context["request"].path

    class Owner(serializers.ModelSerializer):
        username = OfRequest()

        class Meta:
            model = User
            fields = ["username"]

    class Owned(serializers.ModelSerializer):
        owner = Owner()

        class Meta:
            model = Snippet
            fields = ["owner"]

    owned = Snippet.objects.filter(owner__isnull=False).first()
    for _ in range(3):
        assert Owned(Snippet()).data == {"owner": None}
        assert Owned([Snippet()], many=True).data == [{"owner": None}]
        assert Owned(owned, context=CONTEXT).data == {"owner": {"username": owned.owner.username}}
        with pytest.raises(KeyError, match="request"):
            _ = Owned(owned).data
