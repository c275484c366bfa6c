"""What generated text requires of serializers and fields.

Their classes are in layers above this one. If a class lacks a member listed here, mypy reports
an error where it is passed to the compiler.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias


class CompiledField(Protocol):
    """A field on the slow path, which handles every case that the text is not certain of."""

    def get_attribute(self, instance: Any) -> object: ...

    def to_representation(self, value: Any) -> object: ...

    def get_value(self, dictionary: Any) -> object: ...

    @property
    def source_attrs(self) -> list[str]: ...

    @property
    def read_only(self) -> bool: ...


class CompiledSerializer(Protocol):
    """A serializer that reads or validates with generated text."""

    @property
    def _lintel_fields(self) -> Mapping[str, CompiledField]:
        """Its fields, each made on first access."""

    @property
    def parent(self) -> object:
        """The outer serializer or list; None for the outermost."""

    def run_validation(self, data: Any) -> object:
        """Validate input that is not a plain dict."""

    def set_value(self, dictionary: dict[str, Any], keys: list[str], value: Any) -> None: ...


#: A field or a serializer of any class, also of the project; attributes depend on the class.
AnyField: TypeAlias = Any

#: Fields by name.
Fields = Mapping[str, AnyField]

#: Validated values by source, and error details by field name.
Values = dict[str, Any]
Errors = dict[str, Any]

#: Looks up a related object; None after recording an error, ``empty`` if only the field knows.
Find = Callable[[CompiledSerializer, Any, Errors], object]

#: Object → primitives, for one serializer.
ReadObject = Callable[[Any], Any]

#: Plain dict → validated values, for one serializer; raises ValidationError.
ValidateDict = Callable[[Any], Any]

#: Nested dict → validated values; raises KeyError if in doubt.
AcceptDict = Callable[[object], Values]

#: Defined by generated text: bound once to a serializer for many objects.
MakeRead = Callable[[CompiledSerializer], ReadObject]
MakeWrite = Callable[[CompiledSerializer], ValidateDict]

#: The values of one column, in the order of the rows, and those of one row.
ColumnValues: TypeAlias = Sequence[Any]
Row: TypeAlias = Sequence[Any]


class Encoder(Protocol):
    """How a column of one kind becomes text."""

    @property
    def column_type(self) -> str:
        """Django's type of the columns that this encoder is for."""

    @property
    def number(self) -> int:
        """PostgreSQL's number of this type, in any database (``pg_type.dat``)."""

    def texts(self, values: ColumnValues) -> list[str] | None:
        """Return text for values that Django has converted, none of them None; None if in doubt."""

    def sent_texts(self, texts: ColumnValues) -> ColumnValues | None:
        """Return the same for values as PostgreSQL sends them."""


#: An entry for each column of a query.
Encoders = Sequence[Encoder | None]
