"""One table of field kinds: how their values are read, accepted and converted from columns.

A kind is the first argument of ``@inlinable`` on the methods of a field. :data:`KINDS` has an
entry for each; the methods of the field handle everything else.
"""

from lintel.fast.compiler.kinds.base import Acceptance as Acceptance
from lintel.fast.compiler.kinds.base import Shape as Shape
from lintel.fast.compiler.kinds.base import type_name as type_name
from lintel.fast.compiler.kinds.relations import RELATED as RELATED
from lintel.fast.compiler.kinds.relations import key_shown as key_shown
from lintel.fast.compiler.kinds.relations import related_text as related_text
from lintel.fast.compiler.kinds.table import KINDS as KINDS
from lintel.fast.compiler.kinds.table import acceptance as acceptance
from lintel.fast.compiler.kinds.table import encoder_of as encoder_of
from lintel.fast.compiler.kinds.table import kind_of as kind_of
from lintel.fast.compiler.kinds.table import shape as shape
