"""Names for the values in signatures of fields: a project narrows them to types of its own."""

from typing import Any, TypeAlias

#: What parsers return and renderers take: text, numbers, lists and dictionaries of these.
Primitive: TypeAlias = Any

#: What objects hold and validated data contain.
Native: TypeAlias = Any
