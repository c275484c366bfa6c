"""A serializer for objects of several kinds, distinguished by one key: the discriminator."""

import copy
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from enum import Enum
from typing import Any, Protocol

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model

from lintel.compat import InstanceT
from lintel.exceptions import ValidationError
from lintel.fields import ChoiceField, Field, empty
from lintel.fields.base import is_partial
from lintel.fields.types import Native, Primitive
from lintel.serializers.base import BaseSerializer
from lintel.serializers.declared import Serializer, whole_error
from lintel.serializers.types import ReadValues, Values
from lintel.serializers.unknown import notices_unknown
from lintel.utils import html


class Kinds(Collection[Hashable], Protocol):
    """Serializers by kind, in a mapping with keys of any type."""

    def __getitem__(self, kind: Any, /) -> Any: ...

    def get(self, kind: Any, /) -> Any: ...

    def values(self) -> Iterable[Any]: ...

    def items(self) -> Iterable[tuple[Hashable, Any]]: ...


class UnionSerializer(Serializer[InstanceT]):
    """Reads and writes each object with the serializer of its kind.

    ``discriminator``: the key that names the kind, in the input and in what is read.
    ``serializers``: the kinds, each with its serializer class (or a serializer without instance
    and data). Both are class attributes or arguments::

        class PetSerializer(UnionSerializer):
            discriminator = "type"
            serializers = {"cat": CatSerializer, "dog": DogSerializer}

    The kind of an object is that of the serializer with its model class, else the value of the
    key or attribute named like the discriminator; override :meth:`get_discriminator` for
    other rules. Validated data contain the kind under ``discriminator``.

    Raises TypeError for declared fields and for kinds that are not serializers.
    """

    discriminator: str = "type"
    serializers: Kinds = {}

    #: Each instance has the fields of the kind of its input or object.
    _lintel_makes_own_fields = True

    def __init__(
        self,
        *args: Any,
        discriminator: str | None = None,
        serializers: Kinds | None = None,
        **kwargs: Any,
    ) -> None:
        if discriminator is not None:
            self.discriminator = discriminator
        if serializers is not None:
            self.serializers = serializers
        _check_configuration(self)
        super().__init__(*args, **kwargs)

    @property
    def members(self) -> dict[Hashable, BaseSerializer]:
        """Return the serializers by kind, bound to this one: for schemas and descriptions."""
        return {kind: member_of(self, kind) for kind in self.serializers}

    def get_discriminator(self, instance: Native) -> Native:
        """Return the kind of an object: a key of ``serializers``."""
        by_model = kind_by_model(self, instance)
        if by_model is not None:
            return by_model
        if isinstance(instance, Mapping):
            return instance.get(self.discriminator)
        return getattr(instance, self.discriminator, None)

    def get_fields(self) -> dict[str, Field]:
        """Return the discriminator, and the kind's fields if input or an object determines it."""
        fields: dict[str, Field] = {self.discriminator: discriminator_field(self.serializers)}
        member = _member_in_sight(self)
        if isinstance(member, Serializer):
            for name, field in member.get_fields().items():
                fields.setdefault(name, field)
        return fields

    def to_representation(self, instance: Native) -> Primitive:
        kind = kind_of(self, instance)
        if kind is None:
            raise TypeError(
                f"{type(self).__name__} does not know the kind of {type(instance).__name__}: "
                f"override get_discriminator() so that it returns one of {_names(self)}."
            )
        return with_kind(self, kind, member_of(self, kind).to_representation(instance))

    def to_internal_value(self, data: Primitive) -> Values:
        """Raises ValidationError. A partial update of an object need not name its kind."""
        if not isinstance(data, Mapping):
            raise whole_error(self, "invalid", datatype=type(data).__name__)
        target = _object_to_update(self)
        kind = _kind_of_input(self, data, target)
        member = member_of(self, kind)
        member.instance = target
        member.initial_data = data = _input_of(member, self.discriminator, data)
        return with_kind(self, kind, member.run_validation(data))

    def create(self, validated_data: Native) -> Native:
        return _write(self, validated_data, None)

    def update(self, instance: Native, validated_data: Native) -> Native:
        return _write(self, validated_data, instance)


def member_of(union: UnionSerializer, kind: Hashable) -> BaseSerializer:
    """Return the serializer of a kind, made on first use and bound to this union."""
    made: dict[Hashable, BaseSerializer] = union.__dict__.setdefault("_lintel_members", {})
    if kind not in made:
        given = union.serializers[kind]
        options = {"partial": True} if union.partial else {}
        member = given(**options) if isinstance(given, type) else copy.deepcopy(given)
        member.bind(field_name="", parent=union)
        made[kind] = member
    return made[kind]


def discriminator_field(kinds: Iterable[Hashable]) -> ChoiceField:
    names = [_plain(kind) for kind in kinds]
    return ChoiceField(choices=[(name, str(name)) for name in names])


def kind_of(union: UnionSerializer, instance: object) -> Hashable | None:
    return _known_kind(union, union.get_discriminator(instance))


def kind_by_model(union: UnionSerializer, instance: object) -> Hashable | None:
    """Return the only kind whose serializer is for the model class of an object, or None."""
    kinds = _kinds(union).by_model
    return next((kinds[cls] for cls in type(instance).__mro__ if cls in kinds), None)


class _Kinds:
    """The kinds of one union, by what identifies them."""

    def __init__(self, union: UnionSerializer) -> None:
        self.by_text = {str(_plain(kind)): kind for kind in union.serializers}
        models = {kind: _model_of(serializer) for kind, serializer in union.serializers.items()}
        counts = Counter(models.values())
        self.by_model = {
            model: kind
            for kind, model in models.items()
            if model is not None and counts[model] == 1
        }


def _kinds(union: UnionSerializer) -> _Kinds:
    kinds: _Kinds | None = union.__dict__.get("_lintel_kinds")
    if kinds is None:
        kinds = union.__dict__["_lintel_kinds"] = _Kinds(union)
    return kinds


def _model_of(serializer: object) -> type[Model] | None:
    return getattr(getattr(serializer, "Meta", None), "model", None)


def _plain(kind: Hashable) -> Hashable:
    return kind.value if isinstance(kind, Enum) else kind


def _known_kind(union: UnionSerializer, value: object) -> Hashable | None:
    if not isinstance(value, str | int | Enum):
        return None
    return _kinds(union).by_text.get(str(_plain(value)))


def _names(union: UnionSerializer) -> str:
    return ", ".join(repr(_plain(kind)) for kind in union.serializers)


def _check_configuration(union: UnionSerializer) -> None:
    name = type(union).__name__
    if union._declared_fields:
        raise TypeError(
            f"{name} declares fields of its own: {', '.join(union._declared_fields)}. Declare "
            "them on the serializers of the kinds, or on a base class of these."
        )
    for kind, item in union.serializers.items():
        is_class = isinstance(item, type) and issubclass(item, BaseSerializer)
        if not (is_class or isinstance(item, BaseSerializer)) or getattr(item, "many", False):
            raise TypeError(
                f"{name}.serializers[{kind!r}] is {item!r}: use a serializer class for one object."
            )
    if not union.serializers:
        raise TypeError(
            f"{name} has no kinds: set `serializers` to a dict of names and serializer classes."
        )


def with_kind(union: UnionSerializer, kind: Hashable, values: Primitive) -> Values:
    """Return values with the kind first, replacing a value of the same name."""
    name = union.discriminator
    return {name: None, **values} | {name: _plain(kind)}


def _object_to_update(union: UnionSerializer) -> Native:
    """Return the object to update with the input; a list gives its own objects to its child."""
    parent = union.parent
    if parent is not None and getattr(parent, "many", False) and parent.instance is union.instance:
        return None
    return union.instance


def _kind_of_input(union: UnionSerializer, data: ReadValues, target: object) -> Hashable:
    given = data.get(union.discriminator, empty)
    present = None if target is None else kind_of(union, target)
    if given is empty and present is not None and is_partial(union):
        return present
    # An object of one model class cannot become one of another.
    is_model = target is not None and kind_by_model(union, target) is not None
    kinds = [present] if is_model else union.serializers
    return _known_kind(union, _validated(union, given, kinds))


def _validated(union: UnionSerializer, given: object, kinds: Iterable[Hashable]) -> object:
    name = union.discriminator
    field = discriminator_field(kinds)
    if given is empty:
        raise ValidationError({name: [field.error_messages["required"]]}, code="required")
    try:
        return field.run_validation(given)
    except ValidationError as error:
        raise ValidationError({name: error.detail}) from error


def _input_of(member: BaseSerializer, name: str, data: ReadValues) -> Primitive:
    if not isinstance(member, Serializer) or not notices_unknown(member) or name in member.fields:
        return data
    if not html.is_html_input(data):
        return {key: value for key, value in data.items() if key != name}
    form: Any = data
    rest = form.copy()
    rest.pop(name, None)
    return rest


def _member_in_sight(union: UnionSerializer) -> BaseSerializer | None:
    if hasattr(union, "initial_data"):
        data = union.initial_data
        given = data.get(union.discriminator) if isinstance(data, Mapping) else None
        kind = _known_kind(union, given)
        if kind is not None:
            return member_of(union, kind)
    target = _object_to_update(union)
    kind = None if target is None else kind_of(union, target)
    return None if kind is None else member_of(union, kind)


def _write(union: UnionSerializer, validated_data: ReadValues, instance: Native) -> Native:
    """Create or update through the member; its own ``save()`` is called instead if it has one."""
    values = dict(validated_data)
    kind = _known_kind(union, values.get(union.discriminator))
    if kind is None and instance is not None:
        kind = kind_of(union, instance)
    if kind is None:
        raise TypeError(
            f"The data for {type(union).__name__} name no kind: set {union.discriminator!r} to "
            f"one of {_names(union)}."
        )
    member = member_of(union, kind)
    if not _stores(member, union.discriminator):
        values.pop(union.discriminator, None)
    member.instance = instance
    if getattr(member.save, "__func__", None) is not _SAVE:
        member._validated_data, member._errors = values, {}
        return member.save()
    return member.create(values) if instance is None else member.update(instance, values)


_SAVE = BaseSerializer.save


def _stores(member: BaseSerializer, name: str) -> bool:
    if isinstance(member, Serializer):
        fields = member.fields.values()
        if any(field.source == name and not field.read_only for field in fields):
            return True
    model = _model_of(member)
    try:
        return model is not None and bool(model._meta.get_field(name).concrete)
    except FieldDoesNotExist:
        return False
