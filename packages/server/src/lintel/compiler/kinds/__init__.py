"""One table for each kind of field: how its values are read, accepted and taken from a column.

A kind is the first argument of ``@inlinable`` on the methods of a field. :data:`KINDS` holds an
entry for each; what it does not know is left to the methods of the field.
"""

from lintel.compiler.kinds.base import Acceptance, Kind, Shape, type_name
from lintel.compiler.kinds.relations import RELATED, related_text
from lintel.compiler.kinds.table import KINDS, acceptance, shape, wire_of

__all__ = [
    "KINDS",
    "RELATED",
    "Acceptance",
    "Kind",
    "Shape",
    "acceptance",
    "related_text",
    "shape",
    "type_name",
    "wire_of",
]
