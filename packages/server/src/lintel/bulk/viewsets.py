"""Viewsets whose list route takes lists."""

from collections.abc import Callable, Coroutine

from lintel.annotations import AnyView, HookResult
from lintel.bulk.mixins import BulkCreateModelMixin, BulkDestroyModelMixin, BulkUpdateModelMixin
from lintel.compat import ModelT
from lintel.request import Request
from lintel.viewsets import AsyncModelViewSet, ModelViewSet


class BulkModelViewSet(
    BulkCreateModelMixin, BulkUpdateModelMixin, BulkDestroyModelMixin, ModelViewSet[ModelT]
):
    """All actions of ModelViewSet, and lists on the list route: POST, PUT, PATCH and DELETE."""


def _awaiting(action: str) -> Callable[..., Coroutine[object, object, HookResult]]:
    async def handler(
        self: AnyView, request: Request, *args: object, **kwargs: object
    ) -> HookResult:
        return await getattr(self, action)(request, *args, **kwargs)

    return handler


class AsyncBulkModelViewSet(BulkModelViewSet[ModelT]):
    """All actions of BulkModelViewSet on the event loop."""

    list = AsyncModelViewSet.list
    create = AsyncModelViewSet.create
    retrieve = AsyncModelViewSet.retrieve
    update = AsyncModelViewSet.update
    partial_update = AsyncModelViewSet.partial_update
    destroy = AsyncModelViewSet.destroy
    bulk_update = _awaiting("abulk_update")
    partial_bulk_update = _awaiting("apartial_bulk_update")
    bulk_destroy = _awaiting("abulk_destroy")
