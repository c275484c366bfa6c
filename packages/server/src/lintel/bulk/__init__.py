"""Lists in the bodies of requests: many objects are created, updated or deleted by one request.

Each item is validated by a serializer of its own and has its own error. ``atomic`` says whether all
are written or none (the default), or each that is valid.
"""

from lintel.bulk.batches import Batch as Batch
from lintel.bulk.mixins import BulkCreateModelMixin as BulkCreateModelMixin
from lintel.bulk.mixins import BulkDestroyModelMixin as BulkDestroyModelMixin
from lintel.bulk.mixins import BulkModelMixin as BulkModelMixin
from lintel.bulk.mixins import BulkUpdateModelMixin as BulkUpdateModelMixin
from lintel.bulk.viewsets import AsyncBulkModelViewSet as AsyncBulkModelViewSet
from lintel.bulk.viewsets import BulkModelViewSet as BulkModelViewSet
from lintel.patches import carry_on_patches

carry_on_patches(__name__)
