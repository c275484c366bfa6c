"""Names for the types in signatures of serializers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from django.db.models import Model

from lintel.fast import Errors as Errors
from lintel.fast import Values as Values
from lintel.fields import Field
from lintel.fields.types import Native
from lintel.utils.model_meta import FieldInfo

#: A serializer whose class, and with it the model, is a project's.
AnySerializer: TypeAlias = Any

#: A constraint of any kind: each has attributes of its own.
Constraint: TypeAlias = Any

#: The arguments of one field.
Options = dict[str, Any]

#: Values by source, not to be modified.
ReadValues = Mapping[str, Any]

#: The class and the arguments of a field.
BuiltField = tuple[type[Field], Options]

#: Fields by name.
Fields = Mapping[str, Field]


class OfModel(Protocol):
    """A model serializer, as seen by the uniqueness rules of its model."""

    instance: Native

    @property
    def Meta(self) -> Any: ...

    @property
    def validators(self) -> Iterable[Callable[..., Any]]: ...

    @property
    def _writable_fields(self) -> Iterable[Field]: ...

    def get_default_field_names(
        self, declared_fields: Fields, model_info: FieldInfo
    ) -> list[str]: ...

    def get_unique_together_constraints(self, model: type[Model]) -> Iterable[Any]: ...

    def _get_model_fields(
        self, field_names: Iterable[str], declared_fields: Fields, extra_kwargs: ReadValues
    ) -> Values: ...


#: The fields that are still to be read or validated; None for all.
Names = frozenset[str] | None
