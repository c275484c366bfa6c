"""What generic views do: create, list, retrieve, update and destroy rows.

Each mixin has its action twice: ``list`` answers in a thread, ``alist`` on the event loop. The
small ``perform_*`` hooks may be overridden in either form, whatever the action is.

Actions and handlers have comments in place of docstrings: schema generators publish the docstring
of a handler, also an inherited one, as the description of the operation.
"""

from __future__ import annotations

from typing import Any

from lintel import status
from lintel.compiler.plan import marked
from lintel.cycle.steps import (
    Step,
    Steps,
    blocking,
    complete,
    hook_steps,
    in_steps,
    is_async,
    run_steps,
)
from lintel.orm.late_pages import LatePage
from lintel.pagination.base import late_page
from lintel.request import Request
from lintel.response import Response
from lintel.serializers.lists import reads_late
from lintel.settings import api_settings


class _WritingMixin:
    """What creating and updating share."""

    def _given(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """A serializer with the data of the request, not yet validated."""
        view: Any = self
        return view.get_serializer(*args, data=request.data, **kwargs)

    def _validated_steps(self, request: Request, *args: Any, **kwargs: Any) -> Steps[Any]:
        serializer = yield Step(self, "_given", (request, *args), kwargs)
        yield from hook_steps(serializer, "is_valid", raise_exception=True)
        return serializer

    def _save_steps(self, serializer: Any) -> Steps[None]:
        yield from hook_steps(serializer, "save")


class CreateModelMixin(_WritingMixin):
    """Make one row from the data of the request."""

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Answer 201 with the new row. Raises ValidationError.
        serializer = self._given(request)
        serializer.is_valid(raise_exception=True)
        complete(self.perform_create(serializer))
        return self._created(serializer)

    @in_steps("_save_steps")
    def perform_create(self, serializer: Any) -> Any:
        """Save; the place to add values: ``serializer.save(owner=self.request.user)``."""
        serializer.save()

    def get_success_headers(self, data: Any) -> dict[str, str]:
        """Headers of the answer: where the new row lives, if it knows its address."""
        try:
            address = str(data[api_settings.URL_FIELD_NAME])
        except (TypeError, KeyError):
            return {}
        # A field of that name may hold text of the client, which a header need not be able to.
        return {"Location": address} if address.isprintable() else {}

    def _created(self, serializer: Any) -> Response:
        data = serializer.data
        headers = self.get_success_headers(data)
        return Response(data, status=status.HTTP_201_CREATED, headers=headers)

    async def acreate(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`create` does, on the event loop.
        return await run_steps(self._create_steps(request))

    @in_steps("_save_steps")
    async def aperform_create(self, serializer: Any) -> Any:
        """What :meth:`perform_create` does, on the event loop."""
        await run_steps(self._save_steps(serializer))

    def _create_steps(self, request: Request) -> Steps[Any]:
        serializer = yield from self._validated_steps(request)
        yield from hook_steps(self, "perform_create", serializer)
        return (yield Step(self, "_created", (serializer,)))


class ListModelMixin:
    """Answer with the rows of a queryset, filtered and cut into pages."""

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Answer 200 with one page, or with all rows where the view has no pagination.
        view: Any = self
        queryset = view.filter_queryset(complete(view.get_queryset()))
        return self._listed(queryset, _page(view, queryset))

    def _listed(self, queryset: Any, page: Any) -> Any:
        view: Any = self
        if page is None:
            return Response(view.get_serializer(queryset, many=True).data)
        return view.get_paginated_response(_page_serializer(view, page).data)

    async def alist(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`list` does, on the event loop.
        return await run_steps(self._list_steps())

    def _list_steps(self) -> Steps[Any]:
        queryset = yield Step(self, "get_queryset")
        queryset = yield from hook_steps(self, "filter_queryset", queryset)
        page = yield from _page_steps(self, queryset)
        return (yield Step(self, "_listed", (queryset, page)))


def _page(view: Any, queryset: Any) -> Any:
    """What ``paginate_queryset`` answers, fetched later where only we would see the rows."""
    if not _fetches_late(view):
        return view.paginate_queryset(queryset)
    return late_page(view.paginator, queryset, view.request, view)


def _page_steps(view: Any, queryset: Any) -> Steps[Any]:
    """What :func:`_page` does, in steps."""
    if _is_ours(view, "apaginate_queryset") and _fetches_late(view):
        paginator = view.paginator
        if not is_async(paginator, "paginate_queryset"):
            return (yield blocking(late_page, paginator, queryset, view.request, view))
    return (yield from hook_steps(view, "paginate_queryset", queryset))


def _fetches_late(view: Any) -> bool:
    """Whether nobody but us would see the rows between paginator and serializer."""
    return (
        _is_ours(view, "paginate_queryset", "get_serializer")
        and view.paginator is not None
        and _is_ours(view.paginator, "paginate_queryset")
    )


def _page_serializer(view: Any, page: Any) -> Any:
    """What ``get_serializer`` makes for a page."""
    if type(page) is not LatePage:
        return view.get_serializer(page, many=True)
    serializer_class = view.get_serializer_class()
    rows = page if reads_late(serializer_class) else page.instances()
    return serializer_class(rows, many=True, context=view.get_serializer_context())


def _is_ours(owner: Any, *methods: str) -> bool:
    """Whether calls of these methods reach the ones of this package."""
    return all(marked(type(owner), each) and each not in owner.__dict__ for each in methods)


class RetrieveModelMixin:
    """Answer with one row."""

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Answer 200 with the row that the address names. Raises Http404.
        view: Any = self
        return self._retrieved(complete(view.get_object()))

    def _retrieved(self, instance: Any) -> Response:
        view: Any = self
        return Response(view.get_serializer(instance).data)

    async def aretrieve(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`retrieve` does, on the event loop.
        return await run_steps(self._retrieve_steps())

    def _retrieve_steps(self) -> Steps[Any]:
        instance = yield from hook_steps(self, "get_object")
        return (yield Step(self, "_retrieved", (instance,)))


class UpdateModelMixin(_WritingMixin):
    """Change one row by the data of the request."""

    def update(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Answer 200 with the changed row. Raises Http404, ValidationError.
        view: Any = self
        partial = kwargs.pop("partial", False)
        instance = complete(view.get_object())
        serializer = self._given(request, instance, partial=partial)
        serializer.is_valid(raise_exception=True)
        complete(self.perform_update(serializer))
        return self._updated(serializer, instance)

    @in_steps("_save_steps")
    def perform_update(self, serializer: Any) -> Any:
        """Save; the place to add values: ``serializer.save(editor=self.request.user)``."""
        serializer.save()

    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Update only the fields that the data names.
        kwargs["partial"] = True
        return self.update(request, *args, **kwargs)

    def _updated(self, serializer: Any, instance: Any) -> Response:
        # Rows prefetched before the update may be stale now.
        if getattr(instance, "_prefetched_objects_cache", None):
            instance._prefetched_objects_cache = {}
        return Response(serializer.data)

    async def aupdate(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`update` does, on the event loop.
        partial = kwargs.pop("partial", False)
        return await run_steps(self._update_steps(request, partial))

    async def apartial_update(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`partial_update` does, on the event loop.
        kwargs["partial"] = True
        return await self.aupdate(request, *args, **kwargs)

    @in_steps("_save_steps")
    async def aperform_update(self, serializer: Any) -> Any:
        """What :meth:`perform_update` does, on the event loop."""
        await run_steps(self._save_steps(serializer))

    def _update_steps(self, request: Request, partial: bool) -> Steps[Any]:
        instance = yield from hook_steps(self, "get_object")
        serializer = yield from self._validated_steps(request, instance, partial=partial)
        yield from hook_steps(self, "perform_update", serializer)
        return (yield Step(self, "_updated", (serializer, instance)))


class DestroyModelMixin:
    """Delete one row."""

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Answer 204 without a body. Raises Http404.
        view: Any = self
        complete(self.perform_destroy(complete(view.get_object())))
        return self._destroyed()

    @in_steps("_delete_steps")
    def perform_destroy(self, instance: Any) -> Any:
        """Delete; the place to mark as deleted instead."""
        instance.delete()

    def _destroyed(self) -> Response:
        return Response(status=status.HTTP_204_NO_CONTENT)

    async def adestroy(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # What :meth:`destroy` does, on the event loop.
        return await run_steps(self._destroy_steps())

    @in_steps("_delete_steps")
    async def aperform_destroy(self, instance: Any) -> Any:
        """What :meth:`perform_destroy` does, on the event loop."""
        await run_steps(self._delete_steps(instance))

    def _delete_steps(self, instance: Any) -> Steps[None]:
        yield blocking(instance.delete)

    def _destroy_steps(self) -> Steps[Any]:
        instance = yield from hook_steps(self, "get_object")
        yield from hook_steps(self, "perform_destroy", instance)
        return self._destroyed()
