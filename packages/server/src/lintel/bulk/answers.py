"""The responses to bulk requests."""

from django.db.models import prefetch_related_objects

from lintel import status
from lintel.annotations import AnyView, Instance
from lintel.bulk.batches import Batch, Item
from lintel.cycle.steps import called
from lintel.exceptions import AuthenticationFailed, NotAuthenticated
from lintel.problems.bodies import problem_body, takes_problems
from lintel.response import Response


def answer_saved(view: AnyView, batch: Batch, code: int) -> Response:
    """Return the objects in the order of the items: with ``code``, or with 207 each its own."""
    saved = [item.serializer.instance for item in batch.valid]
    _read_related(view, saved)
    shown = iter(view.get_serializer(saved, many=True).data if saved else [])
    if batch.atomic:
        return Response(list(shown), status=code)
    results = [
        {"status": code, "data": next(shown)} if item.error is None else _failed(view, item)
        for item in batch.items
    ]
    return Response(results, status=status.HTTP_207_MULTI_STATUS)


def _read_related(view: AnyView, saved: list[Instance]) -> None:
    """Read what the queryset of the view reads beside its rows, as it is after the write."""
    for instance in saved:
        if getattr(instance, "_prefetched_objects_cache", None):
            instance._prefetched_objects_cache = {}
    lookups = (
        getattr(called(view, "get_queryset"), "_prefetch_related_lookups", ()) if saved else ()
    )
    if lookups:
        prefetch_related_objects(saved, *lookups)


def answer_deleted(view: AnyView, batch: Batch) -> Response:
    if batch.atomic:
        return Response(status=status.HTTP_204_NO_CONTENT)
    done = {"status": status.HTTP_204_NO_CONTENT}
    results = [done if item.error is None else _failed(view, item) for item in batch.items]
    return Response(results, status=status.HTTP_207_MULTI_STATUS)


def _failed(view: AnyView, item: Item) -> dict[str, object]:
    error: Instance = item.error
    asks = isinstance(error, AuthenticationFailed | NotAuthenticated)
    if asks and not view.get_authenticate_header(view.request):
        error.status_code = status.HTTP_403_FORBIDDEN  # as for the whole request
    if takes_problems(view.request):
        return {"status": error.status_code, "problem": problem_body(error, view.request)}
    detail = error.detail
    errors = detail if isinstance(detail, list | dict) else {"detail": detail}
    return {"status": error.status_code, "errors": errors}
