import copy
import functools
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import connection, models
from django.http import QueryDict
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import path, set_script_prefix

from lintel import serializers
from lintel.exceptions import ValidationError
from lintel.fast.keys import CHUNK_SIZE
from lintel.relations import (
    Hyperlink,
    ManyRelatedField,
    PKOnlyObject,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
    StringRelatedField,
    prefetch_keys,
)
from lintel.serializers.related_keys import prefetched, related_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("test_relations")]


def _view(request: Any, **kwargs: Any) -> None: ...


urlpatterns = [
    path("tags/<int:pk>/", _view, name="tag-detail"),
    path("tags/", _view, name="tag-list"),
    path("users/<str:username>/", _view, name="user-detail"),
]


@pytest.fixture(autouse=True)
def rows() -> None:
    Tag.objects.bulk_create(Tag(id=number, name=f"tag-{number}") for number in range(1, 6))


DEEP = functools.reduce(lambda inner, _: [inner], range(900), 1)


def tags(**kwargs: Any) -> Any:
    return PrimaryKeyRelatedField(queryset=Tag.objects.all(), **kwargs)


def names(**kwargs: Any) -> Any:
    return SlugRelatedField(slug_field="name", queryset=Tag.objects.all(), **kwargs)


def bound(field: Any, **context: Any) -> Any:
    holder = type("Holder", (serializers.Serializer,), {"field": field})
    return holder(context=context).fields["field"]


def errors_of(field: Any, data: Any) -> Any:
    with pytest.raises(ValidationError) as caught:
        field.run_validation(data)
    return caught.value.get_full_details()


# ---- how fields are made ----


def test_a_relation_needs_to_know_where_to_look() -> None:
    with pytest.raises(AssertionError, match="`PrimaryKeyRelatedField` has nowhere to look"):
        PrimaryKeyRelatedField()
    with pytest.raises(AssertionError, match="`PrimaryKeyRelatedField` has nowhere to look"):
        PrimaryKeyRelatedField(many=True)
    with pytest.raises(AssertionError, match="never looks anything up"):
        PrimaryKeyRelatedField(queryset=Tag.objects.all(), read_only=True)


def test_own_get_queryset_is_enough() -> None:
    class OwnField(PrimaryKeyRelatedField):
        def get_queryset(self) -> Any:
            return Tag.objects.filter(pk=2)

    assert OwnField().run_validation(2).pk == 2
    assert errors_of(OwnField(many=True), [2, 1])[0]["code"] == "does_not_exist"


def test_managers_are_querysets_too() -> None:
    assert PrimaryKeyRelatedField(queryset=Tag.objects).run_validation(1).name == "tag-1"


def test_querysets_are_asked_anew_each_time() -> None:
    field = tags()
    list(field.queryset)
    Tag.objects.create(id=77, name="late")
    assert field.run_validation(77).name == "late"


def test_many_hands_its_arguments_to_the_list() -> None:
    field = tags(many=True, label="Labels", allow_empty=False, html_cutoff=3)
    assert isinstance(field, ManyRelatedField)
    assert (field.label, field.allow_empty, field.html_cutoff) == ("Labels", False, 3)
    assert isinstance(field.child_relation, PrimaryKeyRelatedField)
    assert field.child_relation.parent is field


def test_many_init_may_be_replaced() -> None:
    class OwnField(PrimaryKeyRelatedField):
        @classmethod
        def many_init(cls, *args: Any, **kwargs: Any) -> Any:
            return kwargs

    assert OwnField(many=True, queryset=1) == {"queryset": 1}


def test_copies_belong_to_their_own_parents() -> None:
    class TagsSerializer(serializers.Serializer):
        tags = PrimaryKeyRelatedField(many=True, queryset=Tag.objects.all())

    first, second = TagsSerializer().fields["tags"], TagsSerializer().fields["tags"]
    assert first is not second
    assert first.child_relation is not second.child_relation
    assert first.child_relation.parent is first
    assert second.child_relation.root is second.parent
    assert copy.deepcopy(first).child_relation.queryset is not None


# ---- reading ----


def test_keys_are_read_without_a_query(django_assert_num_queries: Any) -> None:
    user = User.objects.create(username="ann")
    snippet = Snippet.objects.create(code="x", owner=user)
    snippet = Snippet.objects.get(pk=snippet.pk)
    field = bound(PrimaryKeyRelatedField(source="owner", read_only=True))
    with django_assert_num_queries(0):
        attribute = field.get_attribute(snippet)
        assert isinstance(attribute, PKOnlyObject)
        assert field.to_representation(attribute) == user.pk


def test_reverse_objects_are_read_as_they_are() -> None:
    user = User.objects.create(username="ann")
    profile = Profile.objects.create(user=user)
    field = bound(PrimaryKeyRelatedField(source="profile", read_only=True))
    assert field.get_attribute(user) == profile


def test_unsaved_objects_have_no_related_ones(django_assert_num_queries: Any) -> None:
    field = bound(PrimaryKeyRelatedField(source="tags", many=True, read_only=True))
    with django_assert_num_queries(0):
        assert field.get_attribute(Snippet()) == []


def test_a_missing_list_is_explained() -> None:
    with pytest.raises(AttributeError, match="field `field` on serializer `Holder`"):
        bound(tags(many=True)).get_attribute(object())


def test_text_of_the_object() -> None:
    assert StringRelatedField().to_representation(Tag.objects.get(pk=1)) == "tag-1"


# ---- input ----


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (10**30, "does_not_exist"),
        ("9" * 5000, "incorrect_type"),
        (True, "incorrect_type"),
        (float("inf"), "incorrect_type"),
        (float("nan"), "incorrect_type"),
        ("\x00", "incorrect_type"),
        ("\ud800", "incorrect_type"),
        ([], "incorrect_type"),
        ({"pk": 1}, "incorrect_type"),
        (99, "does_not_exist"),
        (10**5000, "incorrect_type"),
        (Decimal("1e999999"), "incorrect_type"),
        (Decimal("Infinity"), "incorrect_type"),
        (b"\xff", "incorrect_type"),
        (DEEP, "incorrect_type"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.islower() else type(value).__name__,
)
def test_wrong_keys_are_errors_of_the_input(value: Any, code: str) -> None:
    assert errors_of(tags(), value)[0]["code"] == code
    assert errors_of(tags(many=True), [1, value])[0]["code"] == code


@pytest.mark.parametrize(
    "value",
    [
        *(10**30, "a\x00b", "\ud800", [], {}, True, float("inf"), b"tag-9"),
        *(10**5000, Decimal("1e999999"), b"\xff", DEEP),
    ],
    ids=lambda value: value if isinstance(value, str) and value.islower() else type(value).__name__,
)
def test_wrong_slugs_are_errors_of_the_input(value: Any) -> None:
    assert errors_of(names(), value)[0]["code"] in ("does_not_exist", "invalid")
    assert errors_of(names(many=True), ["tag-1", value])[0]["code"] in ("does_not_exist", "invalid")
    by_number = SlugRelatedField(slug_field="id", queryset=Tag.objects.filter(pk__gt=3))
    assert errors_of(by_number, value)[0]["code"] in ("does_not_exist", "invalid")


def test_errors_of_the_database_layer_can_be_written() -> None:
    by_moment = SlugRelatedField(slug_field="created", queryset=Snippet.objects.all())
    with pytest.raises(DjangoValidationError):
        by_moment.run_validation("yesterday")
    by_rating = SlugRelatedField(slug_field="rating", queryset=Snippet.objects.all())
    assert errors_of(by_rating, Decimal("1e30"))[0]["code"] == "does_not_exist"


# ---- many keys, one query ----


@pytest.mark.fast_way
def test_many_keys_take_one_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        found = tags(many=True).run_validation([3, "1", " 2 ", 5, 4])
    assert [tag.pk for tag in found] == [3, 1, 2, 5, 4]


@pytest.mark.fast_way
def test_many_slugs_take_one_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        found = names(many=True).run_validation(["tag-3", "tag-1"])
    assert [tag.name for tag in found] == ["tag-3", "tag-1"]


@pytest.mark.fast_way
def test_long_lists_are_cut_into_queries(django_assert_num_queries: Any) -> None:
    Tag.objects.bulk_create(Tag(id=n, name=f"tag-{n}") for n in range(6, 2 * CHUNK_SIZE + 2))
    keys = list(range(1, 2 * CHUNK_SIZE + 2))
    with django_assert_num_queries(3):
        assert len(tags(many=True).run_validation(keys)) == len(keys)


def test_doubles_stay_and_are_objects_of_their_own() -> None:
    first, second, other = tags(many=True).run_validation([1, "1", 2])
    assert first == second
    assert first is not second
    second.name = "changed"
    assert first.name == "tag-1"
    assert other.pk == 2


def test_first_error_is_the_one_of_the_first_wrong_key() -> None:
    assert errors_of(tags(many=True), [1, 99, "x", 2])[0]["code"] == "does_not_exist"
    assert errors_of(tags(many=True), [1, "x", 99, 2])[0]["code"] == "incorrect_type"
    assert errors_of(tags(many=True), [1, 10**30, 2])[0]["code"] == "does_not_exist"


def test_true_is_no_key_although_it_equals_one() -> None:
    assert errors_of(tags(many=True), [1, 2, True])[0]["code"] == "incorrect_type"


def test_a_slug_that_several_objects_share_is_invalid() -> None:
    user = User.objects.create(username="ann")
    for title in ("same", "same", "other"):
        Snippet.objects.create(title=title, code="x", owner=user)
    field = SlugRelatedField(slug_field="title", queryset=Snippet.objects.all(), many=True)
    assert errors_of(field, ["other", "same"])[0]["code"] == "invalid"
    alone = SlugRelatedField(slug_field="title", queryset=Snippet.objects.all())
    assert errors_of(alone, "same")[0]["code"] == "invalid"
    assert alone.run_validation("other").title == "other"


def test_keys_outside_the_queryset_do_not_exist() -> None:
    field = PrimaryKeyRelatedField(queryset=Tag.objects.filter(pk__lt=3), many=True)
    assert errors_of(field, [1, 4])[0]["message"] == 'Invalid pk "4" - object does not exist.'


class PickyQuerySet(models.QuerySet):
    def get(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["pk"] = int(kwargs["pk"]) - 100
        return super().get(*args, **kwargs)


class CountingField(PrimaryKeyRelatedField):
    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(data - 100)


class LimitedField(PrimaryKeyRelatedField):
    def get_queryset(self) -> Any:
        return super().get_queryset().annotate(shifted=models.F("pk") + 100)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PrimaryKeyRelatedField(queryset=PickyQuerySet(Tag), many=True),
        lambda: CountingField(queryset=Tag.objects.all(), many=True),
    ],
    ids=["queryset", "field"],
)
def test_lookups_of_the_project_are_called_for_each_key(
    make: Callable[[], Any], django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        assert [tag.pk for tag in make().run_validation([101, 102])] == [1, 2]


def test_own_get_queryset_is_called_for_each_key(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        found = LimitedField(queryset=Tag.objects.all(), many=True).run_validation([1, 2])
    assert [tag.shifted for tag in found] == [101, 102]


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Tag.objects.values("id"),
        lambda: Tag.objects.none().union(Tag.objects.all()),
        lambda: Tag.objects.all()[:3],
        lambda: Tag.objects.only("id"),
        lambda: Tag.objects.annotate(n=models.Window(models.functions.RowNumber())),
    ],
    ids=["values", "union", "slice", "deferred", "window"],
)
def test_unusual_querysets_answer_as_for_single_keys(queryset: Callable[[], Any]) -> None:
    def outcome(call: Callable[[], Any]) -> Any:
        try:
            return [getattr(found, "__dict__", found).get("n") for found in call()]
        except Exception as error:
            return type(error)

    single = PrimaryKeyRelatedField(queryset=queryset())
    many = PrimaryKeyRelatedField(queryset=queryset(), many=True)
    expected = outcome(lambda: [single.to_internal_value(key) for key in (1, 2)])
    assert outcome(lambda: many.run_validation([1, 2])) == expected


@pytest.mark.fast_way
def test_keys_that_a_field_converts_first(django_assert_num_queries: Any) -> None:
    field = tags(many=True, pk_field=serializers.IntegerField())
    with django_assert_num_queries(1):
        assert [tag.pk for tag in field.run_validation(["1", 2])] == [1, 2]
    assert errors_of(field, [1, 2, "x"])[0]["code"] == "invalid"


@pytest.mark.fast_way
def test_prefetched_keys_serve_many_validations(django_assert_num_queries: Any) -> None:
    field = tags()
    with django_assert_num_queries(1), prefetch_keys(field, [1, 2, 3, [], None]):
        assert [field.run_validation(key).pk for key in (1, 2, 3, 1)] == [1, 2, 3, 1]
    with django_assert_num_queries(1):
        field.run_validation(1)


def test_prefetching_leaves_other_fields_alone(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        for field in (serializers.CharField(), StringRelatedField(), tags()):
            with prefetch_keys(field, ["x"]):
                pass


@pytest.mark.fast_way
def test_rows_of_input_are_prefetched_field_by_field(django_assert_num_queries: Any) -> None:
    class LineSerializer(serializers.Serializer):
        tag = PrimaryKeyRelatedField(queryset=Tag.objects.all())
        others = SlugRelatedField(slug_field="name", queryset=Tag.objects.all(), many=True)
        text = serializers.CharField()

    fields = LineSerializer().fields
    rows = [{"tag": 1, "others": ["tag-1", "tag-2"], "text": "a"}, {"tag": 2, "others": []}, "odd"]
    with django_assert_num_queries(2), prefetched(related_of(fields.values(), rows), rows):
        assert fields["tag"].run_validation(2).pk == 2
        assert len(fields["others"].run_validation(["tag-2", "tag-1"])) == 2


@pytest.mark.fast_way
def test_lists_of_serializers_take_one_query_a_relation(django_assert_num_queries: Any) -> None:
    class LineSerializer(serializers.Serializer):
        tag = PrimaryKeyRelatedField(queryset=Tag.objects.all())
        others = SlugRelatedField(slug_field="name", queryset=Tag.objects.all(), many=True)

    rows = [{"tag": number % 5 + 1, "others": ["tag-1", "tag-2"]} for number in range(20)]
    serializer = LineSerializer(data=rows, many=True)
    with django_assert_num_queries(2):
        assert serializer.is_valid()
    assert [row["tag"].pk for row in serializer.validated_data] == [row["tag"] for row in rows]


# ---- in generated text ----


class OwnWords(PrimaryKeyRelatedField):
    def fail(self, key: str, **kwargs: Any) -> Any:
        raise ValidationError(f"{key}: {sorted(kwargs)}", code="own")


class Fewer(models.Manager):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(pk__lt=2)


def fewer() -> Any:
    manager = Fewer()
    manager.model = Tag
    return PrimaryKeyRelatedField(queryset=manager)


MISSING = object()
KEYS = [1, 2, 99, 0, -1, 2**63, 10**5000, "1", "x", "", " 1", "tag-2", "gone", "a\0b", "\ud800"]
KEYS += [True, None, 1.5, Decimal(1), [1], {"pk": 1}, MISSING]


@pytest.mark.parametrize("hook", [False, True], ids=["alone", "hook"])
@pytest.mark.parametrize(
    "make",
    [
        tags,
        names,
        lambda: tags(allow_null=True, required=False),
        lambda: tags(default=None),
        lambda: PrimaryKeyRelatedField(queryset=Tag.objects),
        lambda: PrimaryKeyRelatedField(queryset=Tag.objects.filter(pk__lt=2)),
        lambda: PrimaryKeyRelatedField(
            queryset=User.objects.all(), pk_field=serializers.CharField()
        ),
        lambda: PrimaryKeyRelatedField(queryset=Profile.objects.all()),
        lambda: SlugRelatedField(slug_field="title", queryset=Snippet.objects.all()),
        lambda: SlugRelatedField(slug_field="user__username", queryset=Profile.objects.all()),
        lambda: PrimaryKeyRelatedField(queryset=PickyQuerySet(Tag)),
        lambda: LimitedField(queryset=Tag.objects.all()),
        lambda: CountingField(queryset=Tag.objects.all()),
        lambda: OwnWords(queryset=Tag.objects.all()),
        lambda: tags(error_messages={"does_not_exist": "Gone: {pk_value}"}),
        lambda: tags(validators=[lambda tag: tag.pk]),
        fewer,
    ],
    ids=range(17),
)
@pytest.mark.compiled
def test_generated_text_finds_what_the_field_finds(make: Callable[[], Any], hook: bool) -> None:
    def validate_one(self: Any, value: Any) -> Any:
        return [value]

    members = {"one": make(), **({"validate_one": validate_one} if hook else {})}
    cls = type("Sample", (serializers.Serializer,), members)
    for user in (1, 2):
        owner = User.objects.create(pk=user, username=f"user-{user}")
        Snippet.objects.create(title="x", code="", owner=owner)
    cls(data={}).is_valid()
    for key in KEYS:
        data = {} if key is MISSING else {"one": key}
        generated, plain = cls(data=data), cls(data=data)
        assert plain.fields
        assert left_behind(generated) == left_behind(plain)
        assert "fields" not in generated.__dict__


def left_behind(serializer: Any) -> Any:
    with CaptureQueriesContext(connection) as queries:
        try:
            serializer.is_valid(raise_exception=True)
            outcome = repr(serializer.validated_data)
        except ValidationError as error:
            outcome = repr(error.get_full_details())
        except Exception as error:
            outcome = repr(type(error))
    return outcome, [query["sql"] for query in queries]


@pytest.mark.fast_way
def test_a_manager_that_is_replaced_later_is_asked(monkeypatch: Any) -> None:
    cls = type("Sample", (serializers.Serializer,), {"one": tags()})
    for _ in range(3):
        serializer = cls(data={"one": 2})
        assert serializer.is_valid()
    assert not serializer._lintel_fields  # no field was made
    monkeypatch.setattr(PrimaryKeyRelatedField, "get_queryset", lambda self: Tag.objects.none())
    assert not cls(data={"one": 2}).is_valid()


# ---- forms ----


def test_a_form_without_the_field_means_an_empty_list() -> None:
    field = bound(tags(many=True))
    assert field.get_value(QueryDict("field=1&field=2")) == ["1", "2"]
    assert field.get_value(QueryDict("")) == []
    assert field.get_value({}) is serializers.empty
    field.parent.partial = True
    assert field.get_value(QueryDict("")) is serializers.empty


def test_choices_end_at_the_cutoff(settings: Any) -> None:
    settings.REST_FRAMEWORK = {"HTML_SELECT_CUTOFF": 2, "HTML_SELECT_CUTOFF_TEXT": "{count} shown"}
    for field in (tags(), tags(many=True)):
        options = list(field.iter_options())
        assert [option.value for option in options] == [1, 2, "n/a"]
        assert options[-1].display_text == "2 shown"
        assert len(field.choices) == 5


def test_read_only_fields_offer_no_choices(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert PrimaryKeyRelatedField(read_only=True).choices == {}


# ---- addresses ----


def request() -> Any:
    return RequestFactory().get("/base/")


def link(**kwargs: Any) -> Any:
    field = serializers.HyperlinkedRelatedField(
        view_name="tag-detail", queryset=Tag.objects.all(), **kwargs
    )
    return bound(field, request=request())


def test_addresses_know_their_objects() -> None:
    shown = link().to_representation(Tag.objects.get(pk=1))
    assert isinstance(shown, Hyperlink)
    assert shown == "http://testserver/tags/1/"
    assert shown.name == "tag-1"
    assert pickle.loads(pickle.dumps(shown)).name == "tag-1"


def test_names_of_addresses_are_made_late(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert link().to_representation(PKOnlyObject(4)) == "http://testserver/tags/4/"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("http://[", "no_match"),
        ("http://x/\ud800", "no_match"),
        ("\ud800", "no_match"),
        ("/tags/1\x00/", "no_match"),
        (b"/tags/1/", "incorrect_type"),
        (["/tags/1/"], "incorrect_type"),
        ("/tags/", "incorrect_match"),
        ("/tags/99/", "does_not_exist"),
        (f"/tags/{10**30}/", "does_not_exist"),
    ],
)
def test_wrong_addresses_are_errors_of_the_input(data: Any, code: str) -> None:
    assert errors_of(link(), data)[0]["code"] == code


def test_script_prefix_is_no_part_of_the_address() -> None:
    set_script_prefix("/sub/")
    try:
        assert link().run_validation("https://elsewhere/sub/tags/2/").pk == 2
    finally:
        set_script_prefix("/")


def test_the_versioning_scheme_names_the_expected_view() -> None:
    class Scheme:
        def get_versioned_viewname(self, viewname: str, request: Any) -> str:
            return viewname.removeprefix("v2:")

    versioned = request()
    versioned.versioning_scheme = Scheme()
    field = serializers.HyperlinkedRelatedField(
        view_name="v2:tag-detail", queryset=Tag.objects.all()
    )
    assert bound(field, request=versioned).run_validation("/tags/2/").pk == 2


def test_formats_of_addresses_follow_the_request() -> None:
    class Shown(serializers.HyperlinkedIdentityField):
        def get_url(self, obj: Any, view_name: str, request: Any, format: Any) -> str:
            return str(format)

    def shown(own: str | None, wanted: str | None) -> Any:
        field = bound(Shown(view_name="x", format=own), request=request(), format=wanted)
        return field.to_representation(Tag(pk=1))

    assert [shown(None, None), shown("json", None)] == ["None", "None"]
    assert [shown(None, "api"), shown("json", "api")] == ["api", "json"]


def test_mistakes_in_get_object_pass_through() -> None:
    class OwnField(serializers.HyperlinkedRelatedField):
        def get_object(self, *args: Any) -> Any:
            raise ValueError("a mistake")

    field = bound(OwnField(view_name="tag-detail", queryset=Tag.objects.all()), request=request())
    with pytest.raises(ValueError, match="a mistake"):
        field.run_validation("/tags/1/")


def test_unroutable_objects_are_explained() -> None:
    field = serializers.HyperlinkedIdentityField(view_name="user-detail", lookup_field="username")
    with pytest.raises(
        ImproperlyConfigured, match=r"was the empty string.*`username` of the object"
    ):
        bound(field, request=request()).to_representation(User(pk=1, username=""))


def test_the_request_is_asked_for() -> None:
    field = bound(serializers.HyperlinkedIdentityField(view_name="tag-detail"))
    with pytest.raises(AssertionError, match=r"context=\{'request': request\}"):
        field.to_representation(Tag(pk=1))


def test_base_class_leaves_the_conversion_to_others() -> None:
    with pytest.raises(NotImplementedError):
        RelatedField(read_only=True).to_representation(1)


def test_managers_made_from_a_queryset_alone_are_asked_anew() -> None:
    manager = models.manager.BaseManager.from_queryset(models.QuerySet)()
    manager.model = Tag
    field = serializers.PrimaryKeyRelatedField(queryset=manager)
    assert isinstance(field.get_queryset(), models.QuerySet)


@pytest.mark.shortcuts
@pytest.mark.django_db
def test_hyperlinks_of_a_list_take_one_query() -> None:
    users = [User.objects.create(username=f"u{number}") for number in range(20)]
    field = serializers.HyperlinkedRelatedField(
        view_name="user-detail",
        lookup_field="username",
        queryset=User.objects.all(),
        many=True,
    )
    field.bind("users", serializers.Serializer(context={"request": None}))
    urls = [f"/users/{user.username}/" for user in users]
    with CaptureQueriesContext(connection) as queries:
        assert field.to_internal_value([*urls, urls[0]]) == [*users, users[0]]
    assert len(queries) == 1
    with pytest.raises(ValidationError) as caught:
        field.to_internal_value([*urls, "/users/nobody/"])
    assert caught.value.get_codes() == ["does_not_exist"]
    for wrong in ("http://[", "/nowhere/", "/users/\x00/"):
        with pytest.raises(ValidationError):
            field.to_internal_value([urls[0], wrong, urls[1]])
