"""Mistakes with serializers, fields, relations and validators."""

from datetime import datetime
from types import SimpleNamespace
from typing import Any

from contract_project.models import Article, Reservation, Snippet, Tag
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from mistakes import table

from lintel import fields, relations, serializers, validators
from lintel.request import Request
from lintel.test import APIRequestFactory

MISTAKES, mistake = table()
factory = APIRequestFactory()


def fields_of(declared: Any = (), **meta: Any) -> Any:
    """The fields of a model serializer with this Meta."""
    body = {**dict(declared), "__module__": "project", "Meta": type("Meta", (), meta)}
    base = serializers.ModelSerializer
    return type(base)("TagSerializer", (base,), body)().fields


class AbstractTag(models.Model):
    class Meta:
        abstract = True
        app_label = "contract_project"


# ---- Meta ----


@mistake(AssertionError, 'Class TagSerializer missing "Meta" attribute')
def meta_missing() -> Any:

    class TagSerializer(serializers.ModelSerializer):
        pass

    return TagSerializer().fields


@mistake(AssertionError, 'Class TagSerializer missing "Meta.model" attribute')
def meta_without_model() -> Any:
    return fields_of(fields="__all__")


@mistake(ValueError, "Cannot use ModelSerializer with Abstract Models.")
def meta_abstract_model() -> Any:
    return fields_of(model=AbstractTag, fields="__all__")


@mistake(
    AssertionError,
    "Creating a ModelSerializer without either the 'fields' attribute or the "
    "'exclude' attribute has been deprecated since 3.3.0, and is now disallowed. "
    "Add an explicit fields = '__all__' to the TagSerializer serializer.",
)
def meta_without_fields() -> Any:
    return fields_of(model=Tag)


@mistake(
    AssertionError, "Cannot set both 'fields' and 'exclude' options on serializer TagSerializer."
)
def meta_fields_and_exclude() -> Any:
    return fields_of(model=Tag, fields=["id"], exclude=["name"])


@mistake(TypeError, 'The `fields` option must be a list or tuple or "__all__". Got str.')
def meta_fields_text() -> Any:
    return fields_of(model=Tag, fields="name")


@mistake(TypeError, "The `exclude` option must be a list or tuple. Got str.")
def meta_exclude_text() -> Any:
    return fields_of(model=Tag, exclude="name")


@mistake(TypeError, 'The `fields` option must be a list or tuple or "__all__". Got set.')
def meta_fields_set() -> Any:
    return fields_of(model=Tag, fields={"name"})


@mistake(
    AssertionError,
    "The field 'label' was declared on serializer TagSerializer, but has not been "
    "included in the 'fields' option.",
)
def meta_fields_lacks_declared() -> Any:
    return fields_of(model=Tag, fields=["id"], declared={"label": serializers.CharField()})


@mistake(
    AssertionError,
    "Cannot both declare the field 'label' and include it in the TagSerializer "
    "'exclude' option. Remove the field or, if inherited from a parent serializer, "
    "disable with `label = None`.",
)
def meta_exclude_declared() -> Any:
    return fields_of(model=Tag, exclude=["label"], declared={"label": serializers.CharField()})


@mistake(
    AssertionError,
    "The field 'label' was included on serializer TagSerializer in the 'exclude' "
    "option, but does not match any model field.",
)
def meta_exclude_unknown() -> Any:
    return fields_of(model=Tag, exclude=["label"])


@mistake(
    ImproperlyConfigured,
    "Field name `label` is not valid for model `Tag` in `project.TagSerializer`.",
)
def meta_fields_unknown() -> Any:
    return fields_of(model=Tag, fields=["label"])


@mistake(TypeError, "The `read_only_fields` option must be a list or tuple. Got str.")
def meta_read_only_fields_text() -> Any:
    return fields_of(model=Tag, fields=["id", "name"], read_only_fields="name")


@mistake(
    AssertionError,
    "Serializer `project.TagSerializer` has field `readonly_fields`; the"
    " correct spelling for the option is `read_only_fields`.",
)
def meta_readonly_fields() -> Any:
    return fields_of(model=Tag, fields=["id", "name"], readonly_fields=["name"])


@mistake(AssertionError, "'depth' may not be negative.")
def meta_depth_negative() -> Any:
    return fields_of(model=Snippet, fields="__all__", depth=-1)


@mistake(AssertionError, "'depth' may not be greater than 10.")
def meta_depth_eleven() -> Any:
    return fields_of(model=Snippet, fields="__all__", depth=11)


@mistake(
    ImproperlyConfigured,
    "Field name `label` is not valid for model `Tag` in `lintel.serializers.",
)
def build_unknown_field() -> Any:
    return serializers.ModelSerializer().build_unknown_field("label", Tag)


# ---- calling order ----


def plain(declared: Any = (), name: str = "PlainSerializer", **body: Any) -> Any:
    """A serializer class with one field, ``name``, and what is given."""
    base = serializers.Serializer
    return type(base)(name, (base,), {"name": serializers.CharField(), **dict(declared), **body})


@mistake(AssertionError, "You must call `.is_valid()` before calling `.save()`.")
def save_before_is_valid() -> Any:
    return plain()(data={"name": "x"}).save()


@mistake(AssertionError, "You must call `.is_valid()` before calling `.save()`.")
def save_without_data() -> Any:
    return plain()().save()


@mistake(AssertionError, "You cannot call `.save()` on a serializer with invalid data.")
def save_invalid() -> Any:
    serializer = plain()(data={})
    serializer.is_valid()
    return serializer.save()


@mistake(
    AssertionError,
    "'commit' is not a valid keyword argument to the 'save()' method. If you need "
    "to access data before committing to the database then inspect "
    "'serializer.validated_data' instead. You can also pass additional keyword "
    "arguments to 'save()' if you need to set extra attributes on the saved model "
    "instance. For example: 'serializer.save(owner=request.user)'.'",
)
def save_commit() -> Any:
    serializer = plain()(data={"name": "x"})
    serializer.is_valid()
    return serializer.save(commit=False)


@mistake(
    AssertionError,
    "You cannot call `.save()` after accessing `serializer.data`.If you need to "
    "access data before committing to the database then inspect "
    "'serializer.validated_data' instead. ",
)
def save_after_data() -> Any:
    serializer = plain()(data={"name": "x"})
    serializer.is_valid()
    assert serializer.data
    return serializer.save()


@mistake(
    AssertionError,
    "When a serializer is passed a `data` keyword argument you must call "
    "`.is_valid()` before attempting to access the serialized `.data` "
    "representation.\n"
    "You should either call `.is_valid()` first, or access `.initial_data` instead.",
)
def data_before_is_valid() -> Any:
    return plain()(data={"name": "x"}).data


@mistake(AssertionError, "You must call `.is_valid()` before accessing `.errors`.")
def errors_before_is_valid() -> Any:
    return plain()(data={"name": "x"}).errors


@mistake(AssertionError, "You must call `.is_valid()` before accessing `.errors`.")
def errors_without_data() -> Any:
    return plain()().errors


@mistake(AssertionError, "You must call `.is_valid()` before accessing `.validated_data`.")
def validated_data_before() -> Any:
    return plain()(data={"name": "x"}).validated_data


@mistake(
    AssertionError,
    "Cannot call `.is_valid()` as no `data=` keyword argument was passed when "
    "instantiating the serializer instance.",
)
def is_valid_without_data() -> Any:
    return plain()({"name": "x"}).is_valid()


@mistake(NotImplementedError, "`create()` must be implemented.")
def create_missing() -> Any:
    serializer = plain()(data={"name": "x"})
    serializer.is_valid()
    return serializer.save()


@mistake(NotImplementedError, "`update()` must be implemented.")
def update_missing() -> Any:
    serializer = plain()(SimpleNamespace(name="y"), data={"name": "x"})
    serializer.is_valid()
    return serializer.save()


@mistake(AssertionError, "`create()` did not return an object instance.")
def create_none() -> Any:
    serializer = plain(create=lambda self, data: None)(data={"name": "x"})
    serializer.is_valid()
    return serializer.save()


@mistake(AssertionError, "`update()` did not return an object instance.")
def update_none() -> Any:
    serializer = plain(update=lambda self, i, data: None)(
        SimpleNamespace(name="y"), data={"name": "x"}
    )
    serializer.is_valid()
    return serializer.save()


@mistake(NotImplementedError, "`to_internal_value()` must be implemented.")
def base_to_internal_value() -> Any:
    return serializers.BaseSerializer(data={}).is_valid()


@mistake(NotImplementedError, "`to_representation()` must be implemented.")
def base_to_representation() -> Any:
    return serializers.BaseSerializer(SimpleNamespace()).data


@mistake(AssertionError, ".validate() should return the validated data")
def validate_none() -> Any:
    return plain(validate=lambda self, data: None)(data={"name": "x"}).is_valid()


@mistake(
    AttributeError,
    "Got AttributeError when attempting to get a value for field `name` on "
    "serializer `TagSerializer`.\n"
    "The serializer field might be named incorrectly and not match any attribute or"
    " key on the `QuerySet` instance.\n"
    "Original exception text was: 'QuerySet' object has no attribute 'name'.",
)
def queryset_without_many() -> Any:

    class TagSerializer(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["name"]

    return TagSerializer(Tag.objects.all()).data


@mistake(
    AttributeError,
    "Got AttributeError when attempting to get a value for field `name` on "
    "serializer `PlainSerializer`.\n"
    "The serializer field might be named incorrectly and not match any attribute or"
    " key on the `SimpleNamespace` instance.\n"
    "Original exception text was: 'types.SimpleNamespace' object has no attribute "
    "'name'.",
)
def attribute_missing() -> Any:
    return plain()(SimpleNamespace()).data


@mistake(
    KeyError,
    "Got KeyError when attempting to get a value for field `name` on serializer "
    "`PlainSerializer`.\n"
    "The serializer field might be named incorrectly and not match any attribute or"
    " key on the `dict` instance.\n"
    "Original exception text was: 'name'.",
)
def key_missing() -> Any:
    return plain()({}).data


@mistake(
    AttributeError,
    "Got AttributeError when attempting to get a value for field `inner` on "
    "serializer `PlainSerializer`.\n"
    "The serializer field might be named incorrectly and not match any attribute or"
    " key on the `SimpleNamespace` instance.\n"
    "Original exception text was: 'types.SimpleNamespace' object has no attribute "
    "'b'.",
)
def nested_attribute_missing() -> Any:
    return plain({"inner": serializers.CharField(source="a.b")})(
        SimpleNamespace(name="x", a=SimpleNamespace())
    ).data


@mistake(AssertionError, ".validate() should return the validated data")
def nested_validate_none() -> Any:
    inner = plain(validate=lambda self, data: None, name="InnerSerializer")
    return plain({"inner": inner()})(data={"name": "x", "inner": {"name": "y"}}).is_valid()


@mistake(AssertionError, ".validate() should return the validated data")
def list_validate_none() -> Any:

    class Rows(serializers.ListSerializer):
        def validate(self, attrs: Any) -> Any:
            return None

    return Rows(child=plain()(), data=[{"name": "x"}]).is_valid()


# ---- lists ----


@mistake(AssertionError, "`child` is a required argument.")
def list_without_child() -> Any:
    return serializers.ListSerializer()


@mistake(AssertionError, "`child` has not been instantiated.")
def list_child_class() -> Any:
    return serializers.ListSerializer(child=plain())


@mistake(
    NotImplementedError,
    "Serializers with many=True do not support multiple update by default, only "
    "multiple create. For updates it is unclear how to deal with insertions and "
    "deletions. If you need to support multiple update, use a `ListSerializer` "
    "class and override `.update()` so you can specify the behavior exactly.",
)
def list_update() -> Any:
    serializer = plain()([SimpleNamespace(name="y")], data=[{"name": "x"}], many=True)
    serializer.is_valid()
    return serializer.save()


@mistake(AssertionError, "You must call `.is_valid()` before accessing `.validated_data`.")
def list_save_before() -> Any:
    return plain()(data=[{"name": "x"}], many=True).save()


@mistake(
    AssertionError,
    "'commit' is not a valid keyword argument to the 'save()' method. If you need "
    "to access data before committing to the database then inspect "
    "'serializer.validated_data' instead. You can also pass additional keyword "
    "arguments to 'save()' if you need to set extra attributes on the saved model "
    "instance. For example: 'serializer.save(owner=request.user)'.'",
)
def list_save_commit() -> Any:
    serializer = plain()(data=[{"name": "x"}], many=True)
    serializer.is_valid()
    return serializer.save(commit=False)


@mistake(NotImplementedError, "`create()` must be implemented.")
def list_save_after_data() -> Any:
    serializer = plain()(data=[{"name": "x"}], many=True)
    serializer.is_valid()
    assert serializer.data
    return serializer.save()


@mistake(
    AssertionError,
    "When a serializer is passed a `data` keyword argument you must call "
    "`.is_valid()` before attempting to access the serialized `.data` "
    "representation.\n"
    "You should either call `.is_valid()` first, or access `.initial_data` instead.",
)
def list_data_before() -> Any:
    return plain()(data=[{"name": "x"}], many=True).data


@mistake(
    AssertionError,
    "Cannot call `.is_valid()` as no `data=` keyword argument was passed when "
    "instantiating the serializer instance.",
)
def list_is_valid_without_data() -> Any:
    return plain()([], many=True).is_valid()


@mistake(AssertionError, "`create()` did not return an object instance.")
def list_create_none() -> Any:

    class Rows(serializers.ListSerializer):
        def create(self, data: Any) -> Any:
            return None

    serializer = Rows(child=plain()(), data=[{"name": "x"}])
    serializer.is_valid()
    return serializer.save()


@mistake(AssertionError, "`update()` did not return an object instance.")
def list_update_none() -> Any:

    class Rows(serializers.ListSerializer):
        def update(self, i, data) -> Any:
            return None

    serializer = Rows([], child=plain()(), data=[{"name": "x"}])
    serializer.is_valid()
    return serializer.save()


# ---- writes ----


def model_write(
    data: Any,
    declared: Any = (),
    *,
    fields: Any,
    instance: Any = None,
    model: Any = Snippet,
    **saved: Any,
) -> Any:
    """What a model serializer stores of the input, with ``saved`` as arguments of ``save()``."""
    meta = type("Meta", (), {"model": model, "fields": fields})
    body = {**dict(declared), "__module__": "project", "Meta": meta}
    base = serializers.ModelSerializer
    made = type(base)("SnippetSerializer", (base,), body)
    serializer = made(data=data) if instance is None else made(instance, data=data)
    serializer.is_valid(raise_exception=True)
    return serializer.save(**saved)


def own() -> Any:
    user, _ = User.objects.get_or_create(username="u")
    return Snippet.objects.create(code="x", owner=user)


class NamedTagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["name"]


@mistake(
    TypeError,
    "Got a `TypeError` when calling `Tag.objects.create()`. This may be because you"
    " have a writable field on the serializer class that is not a valid argument to"
    " `Tag.objects.create()`. You may need to make the field read-only, or override"
    " the SnippetSerializer.create() method to handle this correctly.",
)
def create_type_error_field() -> Any:
    return model_write(
        {"name": "x", "colour": "red"},
        model=Tag,
        fields=["name", "colour"],
        declared={"colour": serializers.CharField()},
    )


@mistake(
    AssertionError,
    "The `.create()` method does not support writable nested fields by default.\n"
    "Write an explicit `.create()` method for serializer "
    "`project.SnippetSerializer`, or set `read_only=True` on nested serializer "
    "fields.",
)
def nested_create() -> Any:
    return model_write(
        {"code": "x", "tags": [{"name": "y"}]},
        fields=["code", "tags"],
        declared={"tags": NamedTagSerializer(many=True)},
    )


@mistake(
    AssertionError,
    "The `.update()` method does not support writable nested fields by default.\n"
    "Write an explicit `.update()` method for serializer "
    "`project.SnippetSerializer`, or set `read_only=True` on nested serializer "
    "fields.",
)
def nested_update() -> Any:
    return model_write(
        {"code": "x", "tags": [{"name": "y"}]},
        instance=own(),
        fields=["code", "tags"],
        declared={"tags": NamedTagSerializer(many=True)},
    )


@mistake(
    AssertionError,
    "The `.create()` method does not support writable dotted-source fields by "
    "default.\n"
    "Write an explicit `.create()` method for serializer "
    "`project.SnippetSerializer`, or set `read_only=True` on dotted-source "
    "serializer fields.",
)
def dotted_create() -> Any:
    return model_write(
        {"code": "x", "owner_name": "y"},
        fields=["code", "owner_name"],
        declared={"owner_name": serializers.CharField(source="owner.first_name")},
    )


@mistake(
    AssertionError,
    "The `.update()` method does not support writable dotted-source fields by "
    "default.\n"
    "Write an explicit `.update()` method for serializer "
    "`project.SnippetSerializer`, or set `read_only=True` on dotted-source "
    "serializer fields.",
)
def dotted_update() -> Any:
    return model_write(
        {"code": "x", "owner_name": "y"},
        instance=own(),
        fields=["code", "owner_name"],
        declared={"owner_name": serializers.CharField(source="owner.first_name")},
    )


# ---- fields ----


@mistake(AssertionError, "May not set both `read_only` and `write_only`")
def field_read_write() -> Any:
    return serializers.CharField(read_only=True, write_only=True)


@mistake(AssertionError, "May not set both `read_only` and `required`")
def field_read_required() -> Any:
    return serializers.CharField(read_only=True, required=True)


@mistake(AssertionError, "May not set both `required` and `default`")
def field_required_default() -> Any:
    return serializers.CharField(required=True, default="x")


@mistake(AssertionError, "May not set both `read_only` and `write_only`")
def serializer_read_write() -> Any:
    return plain()(read_only=True, write_only=True)


@mistake(
    AssertionError,
    "It is redundant to specify `source='name'` on field 'CharField' in serializer "
    "'PlainSerializer', because it is the same as the field name. Remove the "
    "`source` keyword argument.",
)
def redundant_source() -> Any:
    return plain({"name": serializers.CharField(source="name")})().fields


@mistake(
    AssertionError,
    "It is redundant to specify `source='inner'` on field 'InnerSerializer' in "
    "serializer 'PlainSerializer', because it is the same as the field name. Remove"
    " the `source` keyword argument.",
)
def redundant_source_serializer() -> Any:
    return plain({"inner": plain(name="InnerSerializer")(source="inner")})().fields


@mistake(
    AssertionError,
    "The `source` argument is not meaningful when applied to a `child=` field. "
    "Remove `source=` from the field declaration.",
)
def child_source() -> Any:
    return serializers.ListField(child=serializers.CharField(source="x"))


@mistake(AssertionError, "`child` has not been instantiated.")
def child_class() -> Any:
    return serializers.ListField(child=serializers.CharField)


@mistake(AssertionError, "default is a required argument.")
def hidden_without_default() -> Any:
    return serializers.HiddenField()


@mistake(AttributeError, "'PlainSerializer' object has no attribute 'get_name'")
def method_missing() -> Any:
    return plain({"name": serializers.SerializerMethodField()})(SimpleNamespace(name="x")).data


@mistake(
    AssertionError,
    "Invalid rounding option UP. Valid values for rounding are: ['ROUND_UP', "
    "'ROUND_DOWN', 'ROUND_CEILING', 'ROUND_FLOOR', 'ROUND_HALF_UP', "
    "'ROUND_HALF_DOWN', 'ROUND_HALF_EVEN', 'ROUND_05UP']",
)
def decimal_rounding() -> Any:
    return serializers.DecimalField(max_digits=4, decimal_places=2, rounding="UP")


@mistake(
    ValueError,
    'Invalid format for uuid representation. Must be one of "hex_verbose", "hex", "int", "urn"',
)
def uuid_format() -> Any:
    return serializers.UUIDField(format="x")


@mistake(TypeError, "duration format must be either str or `None`, not int")
def duration_format() -> Any:
    return serializers.DurationField(format=1)


@mistake(
    ValueError,
    "Unknown duration format provided, got 'x' while expecting 'django', 'iso-8601' or `None`.",
)
def duration_format_text() -> Any:
    return serializers.DurationField(format="x")


@mistake(ValueError, "The protocol 'x' is unknown. Supported: ['both', 'ipv4', 'ipv6']")
def ip_protocol() -> Any:
    return serializers.IPAddressField(protocol="x")


@mistake(
    AssertionError,
    "Expected a `date`, but got a `datetime`. Refusing to coerce, as this may mean "
    "losing timezone information. Use a custom read-only field and deal with "
    "timezone issues explicitly.",
)
def date_of_datetime() -> Any:
    return serializers.DateField().to_representation(datetime(2020, 1, 1))


@mistake(
    AssertionError,
    "Expected a `time`, but got a `datetime`. Refusing to coerce, as this may mean "
    "losing timezone information. Use a custom read-only field and deal with "
    "timezone issues explicitly.",
)
def time_of_datetime() -> Any:
    return serializers.TimeField().to_representation(datetime(2020, 1, 1))


@mistake(
    NotImplementedError,
    "F.to_internal_value() must be implemented for field name. If you do not need "
    "to support write operations you probably want to subclass `ReadOnlyField` "
    "instead.",
)
def field_to_internal() -> Any:

    class F(serializers.Field):
        pass

    return plain({"name": F()})(data={"name": "x"}).is_valid()


@mistake(NotImplementedError, "F.to_representation() must be implemented for field name.")
def field_to_representation() -> Any:

    class F(serializers.Field):
        pass

    return plain({"name": F()})(SimpleNamespace(name="x")).data


@mistake(
    AssertionError,
    "ValidationError raised by `CharField`, but error key `colour` does not exist "
    "in the `error_messages` dictionary.",
)
def field_fail_key() -> Any:
    f = serializers.CharField()
    return f.fail("colour")


@mistake(
    fields.BuiltinSignatureError,
    "Field source for `PlainSerializer.n` maps to a built-in function type and is "
    "invalid. Define a property or method on the `SimpleNamespace` instance that "
    "wraps the call to the built-in function.",
)
def field_callable_source_builtin() -> Any:
    return (
        serializers.CharField(source="count").get_attribute([])
        if False
        else plain({"n": serializers.CharField(source="name.upper")})(
            SimpleNamespace(name="x")
        ).data
    )


@mistake(ValueError, 'Exception raised in callable attribute "bad"; original exception was: inside')
def attribute_raises() -> Any:

    class Row:
        name = "n"

        def bad(self) -> Any:
            raise AttributeError("inside")

    return plain({"bad": serializers.CharField()})(Row()).data


@mistake(AssertionError, "May not set both `read_only` and `required`")
def read_only_default_and_required() -> Any:
    return plain()(read_only=True, required=True)


# ---- relations ----


@mistake(
    AssertionError,
    "Relational field must provide a `queryset` argument, override `get_queryset`, "
    "or set read_only=`True`.",
)
def related_no_queryset() -> Any:
    return serializers.PrimaryKeyRelatedField()


@mistake(
    AssertionError,
    "Relational fields should not provide a `queryset` argument, when setting read_only=`True`.",
)
def related_both() -> Any:
    return serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all(), read_only=True)


@mistake(AssertionError, "The `slug_field` argument is required.")
def slug_no_field() -> Any:
    return serializers.SlugRelatedField(queryset=Tag.objects.all())


@mistake(AssertionError, "The `view_name` argument is required.")
def hyper_no_view() -> Any:
    return serializers.HyperlinkedRelatedField(queryset=Tag.objects.all())


@mistake(
    AssertionError,
    "Relational field must provide a `queryset` argument, override `get_queryset`, "
    "or set read_only=`True`.",
)
def hyper_no_queryset() -> Any:
    return serializers.HyperlinkedRelatedField("x")


@mistake(AssertionError, "The `view_name` argument is required.")
def identity_no_view() -> Any:
    return serializers.HyperlinkedIdentityField()


@mistake(AssertionError, "`child_relation` is a required argument.")
def many_related_none() -> Any:
    return relations.ManyRelatedField(child_relation=None)


def request() -> Any:
    return Request(factory.get("/"))


@mistake(
    AssertionError,
    "`HyperlinkedIdentityField` requires the request in the serializer context. Add"
    " `context={'request': request}` when instantiating the serializer.",
)
def identity_no_request() -> Any:
    return plain({"url": serializers.HyperlinkedIdentityField(view_name="tag-detail")})(
        Tag(pk=1, name="x")
    ).data


@mistake(
    AssertionError,
    "`HyperlinkedRelatedField` requires the request in the serializer context. Add "
    "`context={'request': request}` when instantiating the serializer.",
)
def related_no_request() -> Any:
    return plain({"owner": serializers.HyperlinkedRelatedField("user-detail", read_only=True)})(
        SimpleNamespace(name="x", owner=User(pk=1, username="u"))
    ).data


@mistake(
    ImproperlyConfigured,
    'Could not resolve URL for hyperlinked relationship using view name "nothing-'
    'detail". You may have failed to include the related model in your API, or '
    "incorrectly configured the `lookup_field` attribute on this field.",
)
def identity_unresolved() -> Any:
    return plain({"url": serializers.HyperlinkedIdentityField(view_name="nothing-detail")})(
        Tag(pk=1, name="x"), context={"request": request()}
    ).data


@mistake(
    ImproperlyConfigured,
    'Could not resolve URL for hyperlinked relationship using view name "nothing-'
    'detail". You may have failed to include the related model in your API, or '
    "incorrectly configured the `lookup_field` attribute on this field.",
)
def related_unresolved() -> Any:
    return plain({"owner": serializers.HyperlinkedRelatedField("nothing-detail", read_only=True)})(
        SimpleNamespace(name="x", owner=User(pk=1, username="u")), context={"request": request()}
    ).data


# ---- validators ----


@mistake(
    RuntimeError,
    "`UniqueValidator` cannot determine the current instance during a multiple "
    "update. Override `ListSerializer.run_child_validation()` to set "
    "`child.instance` before validation.",
)
def unique_list_update() -> Any:

    class T(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["id", "name"]

    return T([Tag(pk=1, name="x")], data=[{"name": "y"}], many=True).is_valid()


@mistake(NotImplementedError, "`filter_queryset` must be implemented.")
def base_unique_for() -> Any:
    return validators.BaseUniqueForValidator(
        queryset=Tag.objects.all(), field="a", date_field="b"
    ).filter_queryset({}, None, "a", "b")


# ---- lists and addresses that lack something ----


@mistake(
    RuntimeError,
    "`UniqueTogetherValidator` cannot determine the current instance during a "
    "multiple update. Override `ListSerializer.run_child_validation()` to set "
    "`child.instance` before validation.",
)
def unique_together_list_update() -> Any:

    class T(serializers.ModelSerializer):
        class Meta:
            model = Reservation
            fields = ["room", "slot"]

    return T([Reservation(pk=1)], data=[{"room": "y", "slot": 1}], many=True).is_valid()


@mistake(
    RuntimeError,
    "`UniqueForDateValidator` cannot determine the current instance during a "
    "multiple update. Override `ListSerializer.run_child_validation()` to set "
    "`child.instance` before validation.",
)
def unique_date_list_update() -> Any:

    class T(serializers.ModelSerializer):
        class Meta:
            model = Article
            fields = "__all__"

    return T(
        [Article(pk=1)],
        data=[{"slug": "y", "published": "2020-01-01", "series": "a", "column": "b"}],
        many=True,
    ).is_valid()


@mistake(
    ImproperlyConfigured,
    'Could not resolve URL for hyperlinked relationship using view name "nothing-'
    'detail". You may have failed to include the related model in your API, or '
    "incorrectly configured the `lookup_field` attribute on this field. WARNING: "
    "The value of the field on the model instance was the empty string, which may "
    "be why it didn't match any entries in your URL conf.",
)
def unresolved_blank_value() -> Any:
    return plain({"owner": serializers.HyperlinkedRelatedField("nothing-detail", read_only=True)})(
        SimpleNamespace(name="x", owner=type("Key", (str,), {"pk": 1})("")),
        context={"request": request()},
    ).data
