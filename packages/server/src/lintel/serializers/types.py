"""Names for the types in signatures of serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from django.db.models import Model

from lintel.fast import Errors, Values
from lintel.fields import Field

__all__ = [
    "BuiltField",
    "Errors",
    "Fields",
    "OfModel",
    "Options",
    "OptionsByName",
    "ReadValues",
    "Values",
]

#: The arguments of one field.
Options = dict[str, Any]

#: The arguments of several fields, by field name.
OptionsByName = dict[str, Options]

#: Values by source, not to be modified.
ReadValues = Mapping[str, Any]

#: The class and the arguments of a field.
BuiltField = tuple[type[Field], Options]

#: Fields by name.
Fields = Mapping[str, Field]


class OfModel(Protocol):
    """A model serializer, as seen by the uniqueness rules of its model."""

    instance: Any

    @property
    def Meta(self) -> Any:
        """Return the options of the class; ``Meta.model`` is the model."""

    @property
    def validators(self) -> Iterable[Callable[..., Any]]:
        """Return the validators that receive all values at once."""

    @property
    def _writable_fields(self) -> Iterable[Field]:
        """Return the fields that take input."""

    def get_default_field_names(self, declared_fields: Fields, model_info: Any) -> list[str]:
        """Return the names that ``"__all__"`` stands for."""

    def get_unique_together_constraints(self, model: type[Model]) -> Iterable[Any]:
        """Return the rules over several fields."""

    def _get_model_fields(
        self, field_names: Iterable[str], declared_fields: Fields, extra_kwargs: ReadValues
    ) -> Values:
        """Return the model fields of serializer fields."""


#: The fields that are still to be read or validated; None for all.
Names = frozenset[str] | None
