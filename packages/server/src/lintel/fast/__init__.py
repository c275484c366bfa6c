"""The fast way of what the plain way does, and its only door.

Every function returns a result, or PLAIN: "do it yourself". The plain way asks here and knows
nothing of what stands behind: compiled serializers, SQL that is kept, rows in place of instances.
Nothing else of this package is imported from outside of it.
"""

from lintel.fast.compiled import current_fields, reader, writer
from lintel.fast.compiled import fields_of as fields
from lintel.fast.compiled import fields_on_access as own_fields
from lintel.fast.compiler.plan import is_overridden
from lintel.fast.compiler.protocols import CompiledField, CompiledSerializer, Errors, Values
from lintel.fast.compiler.runtime import SKIPPED, Unwalkable
from lintel.fast.counting import count_of as count
from lintel.fast.counting import countable
from lintel.fast.explaining import DIRECTIONS, explain
from lintel.fast.json_texts import known_text, knows, parsed, text
from lintel.fast.keys import found_object, is_keyed, prefetch_keys
from lintel.fast.lists import (
    item_writer,
    makers_of,
    page_finder,
    page_serializer,
    read_items,
    read_list,
)
from lintel.fast.pages import LazyPage
from lintel.fast.plain import PLAIN, Plain
from lintel.fast.querysets import add_condition, cut
from lintel.fast.relations import is_column
from lintel.fast.rows import row_of as row
from lintel.fast.tools import Tools, lend
from lintel.trust.versions import off

__all__ = [
    # one answer for all
    "PLAIN",
    "Plain",
    # the switch
    "off",
    # querysets
    "row",
    "count",
    "countable",
    "cut",
    "add_condition",
    "is_column",
    # pages
    "LazyPage",
    "page_finder",
    "page_serializer",
    # serializers
    "fields",
    "own_fields",
    "current_fields",
    "is_overridden",
    "reader",
    "writer",
    # lists of them
    "read_list",
    "read_items",
    "item_writer",
    # keys of input
    "is_keyed",
    "prefetch_keys",
    "found_object",
    # JSON
    "text",
    "known_text",
    "knows",
    "parsed",
    # for people
    "explain",
    "DIRECTIONS",
    # what serializers lend
    "Tools",
    "lend",
    "makers_of",
    "CompiledField",
    "CompiledSerializer",
    "Errors",
    "Values",
    "SKIPPED",
    "Unwalkable",
]
