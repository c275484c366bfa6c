"""The fast way of what the plain way does, and its only door.

Every function returns a result, or PLAIN: "do it yourself". The plain way asks here and knows
nothing of what stands behind: compiled serializers, SQL that is kept, rows in place of instances.
Nothing else of this package is imported from outside of it.
"""

from lintel.fast.caches import locks_in_redis as locks_in_redis
from lintel.fast.caches import storing_class as storing_class
from lintel.fast.compiled import current_fields as current_fields
from lintel.fast.compiled import drafts_of as drafts
from lintel.fast.compiled import fields_of as fields
from lintel.fast.compiled import fields_on_access as own_fields
from lintel.fast.compiled import reader as reader
from lintel.fast.compiled import validates_alone as validates_alone
from lintel.fast.compiled import without_compiling as without_compiling
from lintel.fast.compiled import writer as writer
from lintel.fast.compiler.plan import conversion as conversion
from lintel.fast.compiler.protocols import CompiledField as CompiledField
from lintel.fast.compiler.protocols import CompiledSerializer as CompiledSerializer
from lintel.fast.compiler.protocols import Errors as Errors
from lintel.fast.compiler.protocols import Values as Values
from lintel.fast.compiler.runtime import SKIPPED as SKIPPED
from lintel.fast.compiler.runtime import Unwalkable as Unwalkable
from lintel.fast.counting import count_of as count
from lintel.fast.counting import countable as countable
from lintel.fast.explaining import DIRECTIONS as DIRECTIONS
from lintel.fast.explaining import explain as explain
from lintel.fast.explaining import why_instances as why_instances
from lintel.fast.filtering import filtered as filtered
from lintel.fast.filtersets import filter_backend as filter_backend
from lintel.fast.json_texts import known_text as known_text
from lintel.fast.json_texts import knows as knows
from lintel.fast.json_texts import parsed as parsed
from lintel.fast.json_texts import text as text
from lintel.fast.keys import found_object as found_object
from lintel.fast.keys import is_keyed as is_keyed
from lintel.fast.keys import prefetch_keys as prefetch_keys
from lintel.fast.lists import item_writer as item_writer
from lintel.fast.lists import page_finder as page_finder
from lintel.fast.lists import page_serializer as page_serializer
from lintel.fast.lists import read_items as read_items
from lintel.fast.lists import read_list as read_list
from lintel.fast.pages import LazyPage as LazyPage
from lintel.fast.pages import counts_rows as counts_rows
from lintel.fast.pages import page_rows as page_rows
from lintel.fast.plain import PLAIN as PLAIN
from lintel.fast.querysets import add_condition as add_condition
from lintel.fast.querysets import cut as cut
from lintel.fast.relations import is_column as is_column
from lintel.fast.rows import row_of as row
from lintel.fast.storing import django_deletes as django_deletes
from lintel.fast.storing import django_links as django_links
from lintel.fast.storing import django_stores as django_stores
from lintel.fast.tools import Tools as Tools
from lintel.fast.tools import lend as lend
from lintel.fast.unique_values import holders_of as holders_of
from lintel.fast.unique_values import prefetch_unique_values as prefetch_unique_values
from lintel.trust.originals import off as off
from lintel.trust.store import Store as Store

# What has another name behind the door; the others say by ``as`` that they are exported.
__all__ = ["count", "drafts", "fields", "own_fields", "row"]
