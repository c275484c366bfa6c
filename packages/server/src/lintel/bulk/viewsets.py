"""Viewsets whose list route takes lists."""

from lintel.bulk.mixins import BulkCreateModelMixin, BulkDestroyModelMixin, BulkUpdateModelMixin
from lintel.compat import ModelT
from lintel.generics import awaiting
from lintel.viewsets import AsyncModelViewSet, ModelViewSet


class BulkModelViewSet(
    BulkCreateModelMixin, BulkUpdateModelMixin, BulkDestroyModelMixin, ModelViewSet[ModelT]
):
    """All actions of ModelViewSet, and lists on the list route: POST, PUT, PATCH and DELETE."""


class AsyncBulkModelViewSet(BulkModelViewSet[ModelT]):
    """All actions of BulkModelViewSet on the event loop."""

    list = AsyncModelViewSet.list
    create = AsyncModelViewSet.create
    retrieve = AsyncModelViewSet.retrieve
    update = AsyncModelViewSet.update
    partial_update = AsyncModelViewSet.partial_update
    destroy = AsyncModelViewSet.destroy
    bulk_update = awaiting("abulk_update")
    partial_bulk_update = awaiting("apartial_bulk_update")
    bulk_destroy = awaiting("abulk_destroy")
