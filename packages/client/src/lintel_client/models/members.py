"""The members of a class: its fields in Python, their names in JSON, and their types.

Classes of attrs and pydantic are known by what they have, so that neither is imported.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, get_type_hints

__all__ = ["UNSET", "Member", "Unset", "is_pydantic", "json_members", "members_of"]


class Unset(Enum):
    """The type of UNSET."""

    UNSET = "unset"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
"""The value of a member that JSON does not have, where null would be a value of its own."""

# The defaults of members that may be absent; every other default is a value.
_ABSENT = (None, UNSET)


@dataclass(frozen=True, slots=True)
class Member:
    """One field: its name in Python, its ``key`` in JSON, its type, and its default.

    A field without a default is ``required``.
    """

    name: str
    key: str
    hint: Any
    required: bool
    default: Any = None

    @property
    def is_optional(self) -> bool:
        return not self.required and any(self.default is each for each in _ABSENT)


@cache
def members_of(model: type) -> tuple[Member, ...]:
    """Return the members of a dataclass, or of a class of attrs or pydantic; else none."""
    if is_pydantic(model):
        return tuple(_pydantic(model))
    found = getattr(model, "__attrs_attrs__", None) or (
        fields(model) if is_dataclass(model) else ()
    )
    hints = get_type_hints(model) if found else {}
    return tuple(
        Member(
            each.name,
            each.metadata.get("name", each.name),
            hints[each.name],
            not isinstance(each.default, str | int | Unset | None),
            each.default,
        )
        for each in found
    )


def is_pydantic(model: type) -> bool:
    return hasattr(model, "model_validate") and hasattr(model, "model_fields")


def _pydantic(model: Any) -> Iterator[Member]:
    model.model_rebuild()
    for name, each in model.model_fields.items():
        key = each.serialization_alias or name
        yield Member(name, key, each.annotation, each.is_required(), each.default)


def json_members(value: object) -> dict[str, Any]:
    """Return what a model holds, by the names in JSON, without what is absent.

    None is absent where it is the default, unless pydantic knows that it has been set.
    """
    given = getattr(value, "model_fields_set", ())
    kind: Any = type(value)
    held = ((each, getattr(value, each.name)) for each in members_of(kind))
    return {
        each.key: _spelled(inner)
        for each, inner in held
        if each.name in given or not (each.is_optional and inner is each.default)
    }


def _spelled(value: Any) -> Any:
    """Return a value with its decimals as text: only texts are described as decimals."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list | tuple):
        return [_spelled(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _spelled(inner) for key, inner in value.items()}
    return value
