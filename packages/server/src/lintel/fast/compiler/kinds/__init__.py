"""One table of field kinds: how their values are read, accepted and converted from columns.

A kind is the first argument of ``@inlinable`` on the methods of a field. :data:`KINDS` has an
entry for each; the methods of the field handle everything else.
"""

from lintel.fast.compiler.kinds.base import Acceptance, Kind, Shape, type_name
from lintel.fast.compiler.kinds.relations import RELATED, related_text
from lintel.fast.compiler.kinds.table import KINDS, acceptance, encoder_of, shape

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
    "encoder_of",
]
