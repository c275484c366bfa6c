"""Views with what only lintel has."""

from __future__ import annotations

from typing import Any

from hostile.views import CursorNotes, Cursors, Echo, Labels, LabelSerializer, Notes, Private
from lintel import filters
from lintel.bulk import BulkModelViewSet
from lintel.conditional import ConditionalMixin
from lintel.hashedtokens.authentication import HashedTokenAuthentication
from lintel.idempotency import IdempotentMixin
from lintel.parsers import NestedMultiPartParser
from lintel.patching import PatchMixin
from lintel.sparse import SparseFieldsMixin


class Patched(PatchMixin, Notes):
    """PATCH by JSON Patch and Merge Patch."""


class Conditional(ConditionalMixin, Notes):
    """ETags and their conditions."""


class Idempotent(IdempotentMixin, Notes):
    """Keys of repeated writes."""


class Sparse(SparseFieldsMixin, Notes):
    """Chosen fields, filters of columns, and the method QUERY."""

    filter_backends = [filters.FieldFilter, filters.SearchFilter, filters.OrderingFilter]
    filter_fields = ["title", "number__gte", "price", "day__lt", "labels", "id__in", "kind"]
    expandable_fields = {"labels": LabelSerializer}
    query_handler = "list"


class SignedCursors(Cursors):
    signed = True


class Signed(CursorNotes):
    pagination_class = SignedCursors


class Bulk(BulkModelViewSet):
    queryset = Labels.queryset
    serializer_class = LabelSerializer
    authentication_classes: Any = []


class Nested(Echo):
    parser_classes = [NestedMultiPartParser]


class Hashed(Private):
    authentication_classes = [HashedTokenAuthentication]
