"""The actions of generic views: create, list, retrieve, update and destroy rows.

The mixins have each action twice: ``list`` works without an event loop, ``alist`` on one. Both
drive the same chain of steps. The small ``perform_*`` hooks may be overridden in either form,
whichever form the action has.

Actions and handlers have comments instead of docstrings: schema generators publish the docstring
of a handler, also an inherited one, as the description of the operation.
"""

from collections.abc import Coroutine
from typing import Any

from lintel import fast, status
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, arun, blocking, hook, on_the_loop
from lintel.fast import PLAIN
from lintel.nesting import joined
from lintel.phases import phase
from lintel.request import Request
from lintel.response import Response
from lintel.scoping import within_view
from lintel.serializers.parts import read_again
from lintel.settings import api_settings

# The actions, in steps


@chain
def create_steps(view: object, request: Request) -> Steps[Any]:
    serializer = yield from _validated_steps(view, request)
    if hasattr(view, "check_create_permissions"):
        validated = serializer.validated_data
        for values in validated if isinstance(validated, list) else [validated]:
            yield hook(view, "check_create_permissions", request, values)
    yield hook(view, "perform_create", serializer)
    return (yield blocking(_created, view, serializer))


@chain
def list_steps(view: object) -> Steps[Any]:
    queryset = yield hook(view, "get_queryset")
    if getattr(view, "scope_class", None) or getattr(view, "parent_route", None):
        queryset = yield blocking(within_view, view, queryset)
    queryset = yield hook(view, "filter_queryset", queryset)
    # What StreamingListMixin sends in place of pages.
    streamed = vars(view).get("_lintel_listed")
    if streamed is not None:
        return (yield blocking(streamed, view, queryset))
    page = yield from _page_steps(view, queryset)
    return (yield blocking(_listed, view, queryset, page))


@chain
def retrieve_steps(view: object) -> Steps[Any]:
    instance = yield hook(view, "get_object")
    return (yield blocking(_retrieved, view, instance))


@chain
def update_steps(view: object, request: Request, partial: bool) -> Steps[Any]:
    instance = yield hook(view, "get_object")
    serializer = yield from _validated_steps(view, request, instance, partial=partial)
    yield hook(view, "perform_update", serializer)
    return (yield blocking(_updated, serializer, instance))


@chain
def destroy_steps(view: object) -> Steps[Any]:
    instance = yield hook(view, "get_object")
    yield hook(view, "perform_destroy", instance)
    return Response(status=status.HTTP_204_NO_CONTENT)


def save_steps(view: object, serializer: object) -> Steps[None]:
    yield hook(serializer, "save")


def delete_steps(view: Any, instance: Any) -> Steps[None]:
    yield blocking(instance.delete)


# Their parts


@phase("validation")
@chain
def _validated_steps(view: object, request: Request, *args: object, **kwargs: object) -> Steps[Any]:
    serializer = yield blocking(_given, view, request, *args, **kwargs)
    yield hook(serializer, "is_valid", raise_exception=True)
    return serializer


def _given(view: Any, request: Request, *args: Any, **kwargs: Any) -> Any:
    serializer = view.get_serializer(*args, data=request.data, **kwargs)
    return joined(view, serializer) if getattr(view, "parents", None) else serializer


@phase("serializer")
def _created(view: Any, serializer: Any) -> Response:
    read_again(serializer, getattr(serializer, "instance", None))
    data = serializer.data
    headers = view.get_success_headers(data)
    return Response(data, status=status.HTTP_201_CREATED, headers=headers)


@phase("serializer")
def _retrieved(view: Any, instance: Any) -> Response:
    return Response(view.get_serializer(instance).data)


@phase("serializer")
def _updated(serializer: Any, instance: Any) -> Response:
    # Rows prefetched before the update may be outdated now.
    if getattr(instance, "_prefetched_objects_cache", None):
        instance._prefetched_objects_cache = {}
    read_again(serializer, instance)
    return Response(serializer.data)


@phase("serializer")
def _listed(view: Any, queryset: Any, page: Any) -> Any:
    if page is None:
        return Response(view.get_serializer(queryset, many=True).data)
    serializer = fast.page_serializer(view, page)
    if serializer is PLAIN:
        serializer = view.get_serializer(page, many=True)
    return view.get_paginated_response(serializer.data)


@chain
def _page_steps(view: object, queryset: object) -> Steps[Any]:
    find = fast.page_finder(view)
    if find is not PLAIN:
        return (yield blocking(find, queryset))
    return (yield hook(view, "paginate_queryset", queryset))


# The public interface: methods with ``a`` before the name do the same on the event loop


class CreateModelMixin:
    """Create one row from the data of the request."""

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Returns 201 with the new row. Raises ValidationError.
        return create_steps.run(self, request)

    def perform_create(self, serializer: Any) -> Any:
        """Save; override to add values: ``serializer.save(owner=self.request.user)``."""
        serializer.save()

    def get_success_headers(self, data: Any) -> dict[str, str]:
        """Return headers for the response: the URL of the new row, if its data contain it."""
        try:
            address = str(data[api_settings.URL_FIELD_NAME])
        except (TypeError, KeyError):
            return {}
        # A field of that name may contain text of the client that is invalid in headers.
        return {"Location": address} if address.isprintable() else {}

    def acreate(self, request: Request, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return arun(create_steps(self, request))

    aperform_create = on_the_loop(save_steps, perform_create)


class ListModelMixin:
    """List the rows of a queryset, filtered and paginated."""

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Returns 200 with one page, or with all rows if the view has no pagination.
        return list_steps.run(self)

    def alist(self, request: Request, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return arun(list_steps(self))


class RetrieveModelMixin:
    """Return one row."""

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Returns 200 with the row at the URL. Raises Http404.
        return retrieve_steps.run(self)

    def aretrieve(self, request: Request, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return arun(retrieve_steps(self))


class UpdateModelMixin:
    """Update one row with the data of the request."""

    def update(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Returns 200 with the changed row. Raises Http404, ValidationError.
        return update_steps.run(self, request, kwargs.pop("partial", False))

    def perform_update(self, serializer: Any) -> Any:
        """Save; override to add values: ``serializer.save(editor=self.request.user)``."""
        serializer.save()

    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Updates only the fields that the data contain.
        kwargs["partial"] = True
        return self.update(request, *args, **kwargs)

    def aupdate(self, request: Request, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return arun(update_steps(self, request, kwargs.pop("partial", False)))

    def apartial_update(
        self, request: Request, *args: Any, **kwargs: Any
    ) -> Coroutine[Any, Any, Any]:
        kwargs["partial"] = True
        return self.aupdate(request, *args, **kwargs)

    aperform_update = on_the_loop(save_steps, perform_update)


class DestroyModelMixin:
    """Delete one row."""

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        # Returns 204 without a body. Raises Http404.
        return destroy_steps.run(self)

    def perform_destroy(self, instance: Any) -> Any:
        """Delete; override to mark as deleted instead."""
        instance.delete()

    def adestroy(self, request: Request, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return arun(destroy_steps(self))

    aperform_destroy = on_the_loop(delete_steps, perform_destroy)
