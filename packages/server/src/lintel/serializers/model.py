"""Serializers whose fields follow a Django model.

:meth:`ModelSerializer.get_fields` goes all the way from a model to fields; every step
is a method that a subclass may override. If none is overridden, the fields of a class are the
same for every instance: they are made once and copied.
"""

import copy
import traceback
from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models.expressions import DatabaseDefault

from lintel import fast, fields
from lintel.compat import InstanceT, postgres_fields
from lintel.composite_keys import column_behind, parts_of
from lintel.fast import PLAIN
from lintel.fields import ChoiceField, CompositeKeyField, Field, ReadOnlyField
from lintel.fields.base import FIELD_KWARGS, developer_error
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.numbers import kept_class
from lintel.fields.types import Native
from lintel.marks import inlinable
from lintel.relations import (
    HyperlinkedIdentityField,
    HyperlinkedRelatedField,
    PrimaryKeyRelatedField,
    SlugRelatedField,
)
from lintel.serializers.constraints import constraint_validators
from lintel.serializers.declared import Serializer
from lintel.serializers.names import ALL_FIELDS, chosen_names
from lintel.serializers.nested_writes import raise_errors_on_nested_writes
from lintel.serializers.storing import split_values
from lintel.serializers.trees import has_parts, write_tree
from lintel.serializers.types import BuiltField, Fields, Options, ReadValues
from lintel.serializers.uniqueness import (
    guarded_write,
    shown_model_fields,
    unique_for_date_validators,
    unique_together_constraints,
    unique_together_validators,
    uniqueness_extra_kwargs,
)
from lintel.settings import api_settings
from lintel.utils import model_meta
from lintel.utils.field_mapping import (
    ClassLookupDict,
    get_field_kwargs,
    get_nested_relation_kwargs,
    get_relation_kwargs,
    get_url_kwargs,
    label_under,
)
from lintel.utils.model_meta import FieldInfo, RelationInfo

_MAX_DEPTH = 10

# Arguments that still apply beside `choices`: the rest describes free text or numbers.
_CHOICE_KWARGS = {*FIELD_KWARGS, "validators", "allow_null", "allow_blank", "choices"}

# Arguments that read-only fields do not accept.
_INPUT_KWARGS = (
    *("required", "default", "allow_blank", "validators", "queryset"),
    *("min_length", "max_length", "min_value", "max_value"),
)


def _field_mapping() -> dict[type[models.Field], type[Field]]:
    """Return the class for each column that this version of Django has."""
    # The settings of Django are among the names there, and isinstance() would load them.
    members = [cls for cls in vars(fields).values() if type(cls) is type]
    classes = [cls for cls in members if issubclass(cls, Field)]
    return {
        getattr(module, name): cls
        for cls in classes
        for name in vars(cls).get("column_types", ())
        for module in (models, postgres_fields)
        if hasattr(module, name)
    }


class ModelSerializer(Serializer[InstanceT]):
    """A serializer with a field for each column and relation of ``Meta.model``.

    ``Meta.fields`` lists the fields or is ``"__all__"``, ``Meta.exclude`` lists the ones to leave
    out; ``read_only_fields`` and ``extra_kwargs`` adjust them, ``depth`` nests related
    objects. ``create`` and ``update`` write plain columns, relations by key, and the nested
    serializers that ``Meta.nested`` names.
    """

    serializer_field_mapping: dict[type[models.Field], type[Field]] = _field_mapping()
    serializer_related_field: type[Field] = PrimaryKeyRelatedField
    serializer_related_to_field: type[Field] = SlugRelatedField
    serializer_url_field: type[Field] = HyperlinkedIdentityField
    serializer_choice_field: type[Field] = ChoiceField

    #: Name of the field for the object's URL; None follows ``URL_FIELD_NAME``.
    url_field_name: str | None = None

    Meta: ClassVar[Any]

    # ---- writing ----

    def create(self, validated_data: Native) -> Native:
        """Store a new object, then its to-many relations; AssertionError for nested input."""
        if has_parts(self, validated_data):
            return write_tree(self, None, validated_data, partial(ModelSerializer.create, self))
        raise_errors_on_nested_writes("create", self, validated_data)
        model = self.Meta.model
        columns, many = split_values(self.Meta.model, validated_data)
        instance = guarded_write(self, None, validated_data, _store, self, model, columns, many)
        _read_back(instance)
        return instance

    def update(self, instance: Native, validated_data: Native) -> Native:
        """Save the object, then its to-many relations; AssertionError for nested input."""
        if has_parts(self, validated_data):
            return write_tree(self, instance, validated_data, partial(ModelSerializer.update, self))
        raise_errors_on_nested_writes("update", self, validated_data)
        columns, many = split_values(self.Meta.model, validated_data)
        for name, value in columns.items():
            setattr(instance, name, value)
        guarded_write(self, instance, validated_data, _save, instance, many)
        return instance

    # ---- from the model to fields ----

    @inlinable("standard")
    def get_fields(self) -> dict[str, Field]:
        """Raises AssertionError, TypeError or ImproperlyConfigured for an invalid Meta."""
        made = fast.drafts(self, ModelSerializer.get_fields)
        if self.url_field_name is None:
            self.url_field_name = api_settings.URL_FIELD_NAME
        if made is not PLAIN:
            return made
        model, depth = _checked_meta(self)
        declared = self._declared_fields
        declared_fields = copy.deepcopy(declared) if declared else {}
        info = model_meta.get_field_info(model)
        field_names = self.get_field_names(declared_fields, info)
        extra_kwargs, hidden_fields = self.get_uniqueness_extra_kwargs(
            field_names, declared_fields, self.get_extra_kwargs()
        )
        fields: dict[str, Field] = {}
        for name in field_names:
            if name in declared_fields:
                fields[name] = _checked_declared(self, name, declared_fields[name], info)
                continue
            extra = extra_kwargs.get(name, {})
            source = extra.get("source", "*")
            model_name = name if source == "*" else source
            field_class, kwargs = self.build_field(model_name, info, model, depth)
            if "label" in kwargs and model_name != name:
                kwargs["label"] = label_under(kwargs["label"], name)
            fields[name] = field_class(**self.include_extra_kwargs(kwargs, extra))
        fields.update(hidden_fields)
        return fields

    get_field_names = chosen_names

    def get_default_field_names(self, declared_fields: Fields, model_info: FieldInfo) -> list[str]:
        """Return the names that ``"__all__"`` stands for."""
        return [
            model_info.pk.name,
            *declared_fields,
            *model_info.fields,
            *model_info.forward_relations,
        ]

    def build_field(
        self, field_name: str, info: FieldInfo, model_class: type[models.Model], nested_depth: int
    ) -> BuiltField:
        """Return class and arguments of the field for one name of the model."""
        if field_name in info.fields_and_pk:
            return self.build_standard_field(field_name, info.fields_and_pk[field_name])
        if field_name in info.relations:
            relation_info = info.relations[field_name]
            if nested_depth:
                return self.build_nested_field(field_name, relation_info, nested_depth)
            return self.build_relational_field(field_name, relation_info)
        if hasattr(model_class, field_name):
            return self.build_property_field(field_name, model_class)
        if field_name == self.url_field_name:
            return self.build_url_field(field_name, model_class)
        return self.build_unknown_field(field_name, model_class)

    def build_standard_field(self, field_name: str, model_field: Any) -> BuiltField:
        if hasattr(model_field, "field_names"):
            return CompositeKeyField, {"parts": _parts(self, model_field)}
        kwargs = get_field_kwargs(field_name, model_field)
        if model_field.one_to_one:
            return _key_relation(self, model_field, kwargs)
        field_class = kept_class(ClassLookupDict(self.serializer_field_mapping)[model_field])
        if "choices" in kwargs:
            field_class = self.serializer_choice_field
            kwargs = {key: value for key, value in kwargs.items() if key in _CHOICE_KWARGS}
        options = field_class.column_options
        # For fields without `allow_blank` the empty text of a form is None or an error.
        for name in {"model_field", "allow_blank"}.difference(options):
            kwargs.pop(name, None)
        if isinstance(model_field, models.JSONField) and "decoder" in options:
            kwargs |= {"encoder": model_field.encoder, "decoder": model_field.decoder}
        if hasattr(model_field, "base_field") and "child" in options:
            child_class, child_kwargs = self.build_standard_field("child", model_field.base_field)
            kwargs["child"] = child_class(**child_kwargs)
        return field_class, kwargs

    def build_relational_field(self, field_name: str, relation_info: RelationInfo) -> BuiltField:
        field_class = self.serializer_related_field
        kwargs = get_relation_kwargs(field_name, relation_info)
        to_field = kwargs.pop("to_field", None)
        # A reverse relation identifies its rows by their own key.
        if to_field and not relation_info.reverse and not _is_primary_key(relation_info, to_field):
            kwargs["slug_field"] = to_field
            field_class = self.serializer_related_to_field
        if not issubclass(field_class, HyperlinkedRelatedField):
            kwargs.pop("view_name", None)
        return field_class, kwargs

    def build_nested_field(
        self, field_name: str, relation_info: RelationInfo, nested_depth: int
    ) -> BuiltField:
        nested = nested_serializer(ModelSerializer, relation_info, nested_depth)
        return nested, get_nested_relation_kwargs(relation_info)

    def build_property_field(self, field_name: str, model_class: type[models.Model]) -> BuiltField:
        return ReadOnlyField, {}

    def build_url_field(self, field_name: str, model_class: type[models.Model]) -> BuiltField:
        return self.serializer_url_field, get_url_kwargs(model_class)

    def build_unknown_field(self, field_name: str, model_class: type[models.Model]) -> BuiltField:
        cls = type(self)
        raise ImproperlyConfigured(
            f"Field name `{field_name}` is not valid for model `{model_class.__name__}` in "
            f"`{cls.__module__}.{cls.__name__}`. Declare the field on the serializer, or correct "
            "the name in `Meta`."
        )

    def include_extra_kwargs(self, kwargs: Options, extra_kwargs: ReadValues) -> Options:
        """Return the arguments of a field with ``extra_kwargs``, without those they exclude."""
        if not extra_kwargs:
            return kwargs
        extra = dict(extra_kwargs)
        if extra.get("read_only", False):
            for name in _INPUT_KWARGS:
                kwargs.pop(name, None)
        if extra.get("default") and kwargs.get("required") is False:
            kwargs.pop("required")
        if extra.get("read_only", kwargs.get("read_only", False)):
            # Set for all fields of a uniqueness rule, whether they are written or not.
            extra.pop("required", None)
        kwargs.update(extra)
        return kwargs

    def get_extra_kwargs(self) -> Options:
        """Return ``Meta.extra_kwargs`` merged with ``Meta.read_only_fields``; raise TypeError."""
        given = getattr(self.Meta, "extra_kwargs", None)
        extra_kwargs = copy.deepcopy(given) if given is not None else {}
        read_only_fields = getattr(self.Meta, "read_only_fields", None)
        if read_only_fields is None:
            _check_spelling(self)
            return extra_kwargs
        if not isinstance(read_only_fields, list | tuple):
            raise TypeError(
                "The `read_only_fields` option must be a list or tuple. Got "
                f"{type(read_only_fields).__name__}. Correct it in {type(self).__name__}.Meta."
            )
        for name in read_only_fields:
            extra_kwargs[name] = {**extra_kwargs.get(name, {}), "read_only": True}
        return extra_kwargs

    # ---- uniqueness ----

    def get_unique_together_constraints(self, model: type[models.Model]) -> Iterable[Any]:
        """Return the rules of ``unique_together`` and of UniqueConstraint over several fields.

        Each is a tuple of the fields, the manager, the fields of the condition, the condition,
        ``nulls_distinct``, and the constraint (None for ``unique_together``).
        """
        return unique_together_constraints(model)

    _get_model_fields = shown_model_fields
    get_uniqueness_extra_kwargs = uniqueness_extra_kwargs
    get_unique_together_validators = unique_together_validators
    get_unique_for_date_validators = unique_for_date_validators

    def get_validators(self) -> list[Any]:
        validators = getattr(getattr(self, "Meta", None), "validators", None)
        if validators is not None:
            return list(validators)
        return [
            *self.get_unique_together_validators(),
            *self.get_unique_for_date_validators(),
            *constraint_validators(self),
        ]


def nested_serializer(base: Any, relation_info: RelationInfo, nested_depth: int) -> Any:
    model, depth = relation_info.related_model, nested_depth - 1
    options = {"model": model, "depth": depth, "fields": ALL_FIELDS}
    members = {"Meta": type("Meta", (), options), "describe_values": _described_in_place}
    return type(base)("NestedSerializer", (base,), members)


def _described_in_place(serializer: ModelSerializer, schema: ViewSchema) -> Schema:
    """Return the objects in place: serializers made by depth share a name, but no fields."""
    return dict(schema.map_serializer(serializer))


def _is_primary_key(relation_info: RelationInfo, to_field: str) -> bool:
    return bool(relation_info.related_model._meta.get_field(to_field).primary_key)


def _check_spelling(serializer: ModelSerializer) -> None:
    cls = type(serializer)
    if hasattr(serializer.Meta, "readonly_fields"):
        developer_error(
            f"Serializer `{cls.__module__}.{cls.__name__}` has field `readonly_fields`; the "
            "correct spelling for the option is `read_only_fields`."
        )


def _store(
    serializer: ModelSerializer, model: type[models.Model], columns: ReadValues, many: ReadValues
) -> Any:
    instance = _created(serializer, model, columns)
    for name, value in many.items():
        getattr(instance, name).set(value)
    return instance


def _save(instance: Any, many: ReadValues) -> None:
    instance.save()
    for name, value in many.items():
        getattr(instance, name).set(value)


def _created(serializer: ModelSerializer, model: type[models.Model], columns: ReadValues) -> Any:
    try:
        return model._default_manager.create(**columns)
    except TypeError as error:
        call = f"{model.__name__}.{model._default_manager.name}.create()"
        raise TypeError(
            f"Got a `TypeError` when calling `{call}`. This may be because you have a writable "
            f"field on the serializer class that is not a valid argument to `{call}`. You may "
            "need to make the field read-only, or override the "
            f"{type(serializer).__name__}.create() method to handle this correctly.\n"
            f"Original exception was:\n {traceback.format_exc()}"
        ) from error


def _parts(serializer: ModelSerializer, key: models.Field) -> list[Field]:
    made = []
    for part in parts_of(key.model):
        field_class, kwargs = serializer.build_standard_field(part.name, column_behind(part))
        made.append(field_class(**kwargs))
    return made


def _read_back(instance: models.Model) -> None:
    """Read the values that the database has chosen and its INSERT did not return (MySQL)."""
    held = getattr(instance, "__dict__", {})
    if DatabaseDefault in {*map(type, held.values())}:
        chosen = [name for name, value in held.items() if type(value) is DatabaseDefault]
        instance.refresh_from_db(using=instance._state.db, fields=chosen)


def _checked_declared(serializer: object, name: str, field: Field, info: FieldInfo) -> Field:
    relation_info = info.relations.get(name)
    if relation_info is not None and relation_info.to_many and field.default is None:
        raise ValueError(
            f"`{name}` of {type(serializer).__name__} is a to-many relation, and its `default` is "
            "None, which cannot be stored: use `default=list`."
        )
    return field


def _checked_meta(serializer: ModelSerializer) -> tuple[type[models.Model], int]:
    name = type(serializer).__name__
    meta = getattr(serializer, "Meta", None)
    if meta is None:
        developer_error(
            f'Class {name} missing "Meta" attribute. A ModelSerializer needs `class Meta` '
            "with `model` and `fields`."
        )
    if not hasattr(meta, "model"):
        developer_error(f'Class {name} missing "Meta.model" attribute. Set it to the model class.')
    if model_meta.is_abstract_model(meta.model):
        raise ValueError(
            "Cannot use ModelSerializer with Abstract Models. "
            f"{name}.Meta.model is {meta.model.__name__}: use a model that inherits from it."
        )
    depth = getattr(meta, "depth", 0)
    if depth is not None and not 0 <= depth <= _MAX_DEPTH:
        limit = "negative" if depth < 0 else f"greater than {_MAX_DEPTH}"
        developer_error(f"'depth' may not be {limit}. It is {depth} in {name}.Meta.")
    return meta.model, depth


def _key_relation(serializer: ModelSerializer, model_field: Any, kwargs: Options) -> BuiltField:
    """Return class and arguments for a primary key that is a relation to another table."""
    related_model = model_field.related_model
    field_class = serializer.serializer_related_field
    del kwargs["model_field"]
    if not kwargs.get("read_only"):
        kwargs["queryset"] = related_model._default_manager
    if issubclass(field_class, HyperlinkedRelatedField):
        kwargs.update(get_url_kwargs(related_model))
    return field_class, kwargs
