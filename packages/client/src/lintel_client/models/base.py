"""The base of generated models."""

from typing import Any, Self

from lintel_client.conversions import as_data
from lintel_client.models.members import json_members
from lintel_client.models.readers import read

__all__ = ["Model"]


class Model:
    """A value of an API as an object: a dataclass, or a class of attrs or pydantic."""

    __slots__ = ()

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the object for data from JSON. Unknown members are ignored.

        Raises ModelError, which names the place, where members are missing or of another type.
        """
        made: Self = read(cls, data)
        return made

    def to_json(self) -> dict[str, Any]:
        """Return the object as JSON data, without members that are absent."""
        data: dict[str, Any] = as_data(self)
        return data

    def __json_members__(self) -> dict[str, Any]:
        """Return what is sent of the object, by name."""
        return json_members(self)
