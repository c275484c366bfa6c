"""What generated text asks of the serializers and fields that it works for.

Their classes stand on floors above this one. A class that does not have what stands here is an
error of mypy where it is handed to the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class CompiledField(Protocol):
    """A field on the slow side of a decision: what the text is not certain of, the field does."""

    def get_attribute(self, instance: Any) -> object:
        """Read the source of the field from an object."""

    def to_representation(self, value: Any) -> object:
        """Return the primitive for an attribute that is not None."""

    def get_value(self, dictionary: Any) -> object:
        """Return the part of the input that belongs to the field."""

    def run_validation(self, data: Any) -> object:
        """Return the validated value; raises ValidationError, or SkipField."""

    @property
    def source_attrs(self) -> list[str]:
        """Where the validated value goes."""

    @property
    def read_only(self) -> bool:
        """Whether the field takes no input."""


class CompiledSerializer(Protocol):
    """A serializer that is read or validated by generated text."""

    @property
    def _lintel_fields(self) -> Mapping[str, CompiledField]:
        """Its fields, each made when it is asked for."""

    @property
    def parent(self) -> object:
        """The serializer or list around it; None for the outermost."""

    def run_validation(self, data: Any) -> object:
        """Validate what is no plain dict."""

    def set_value(self, dictionary: dict[Any, Any], keys: list[str], value: Any) -> None:
        """Put a validated value at a path of keys."""


#: Validated values by their source, and details of errors by the name of the field.
Values = dict[str, Any]
Errors = dict[str, Any]

#: Looks a related object up; None after an error is noted, ``empty`` where only the field knows.
Find = Callable[[CompiledSerializer, Any, Errors], object]

#: Object → primitives, for one serializer.
ReadObject = Callable[[Any], Any]

#: Plain dict → validated values, for one serializer; raises ValidationError.
ValidateDict = Callable[[Any], Any]

#: What generated text defines: it is bound to a serializer once for many objects.
MakeRead = Callable[[CompiledSerializer], ReadObject]
MakeWrite = Callable[[CompiledSerializer], ValidateDict]
