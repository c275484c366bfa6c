"""Views over a queryset and a serializer class, for the usual operations on rows.

``ListCreateAPIView`` and its kin map HTTP methods to the actions of :mod:`lintel.mixins`;
``AsyncListCreateAPIView`` and its kin do the same on the event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic

from django.core.exceptions import ValidationError
from django.db import DataError, models
from django.db.models import QuerySet as QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404 as _get_object_or_404

from lintel import fast, mixins, views
from lintel.annotations import AnyView, HookResult, Instance, Setting
from lintel.compat import ModelT
from lintel.composite_keys import parsed_key
from lintel.cycle.chains import chain
from lintel.cycle.policies import creation_permission_steps
from lintel.cycle.steps import Steps, blocking, hook, on_the_loop
from lintel.marks import handing_on_rows, prompt, prompt_when
from lintel.request import Request
from lintel.scoping import within_view
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings


def get_object_or_404(queryset: Any, *filter_args: Any, **filter_kwargs: Any) -> Any:
    """Return the one matching row. Raises Http404, also for a value that its column cannot hold."""
    try:
        if "pk" in filter_kwargs:
            model = getattr(queryset, "model", queryset)
            filter_kwargs["pk"] = parsed_key(model, filter_kwargs["pk"])
        if len(filter_kwargs) == 1 and not filter_args and isinstance(queryset, models.QuerySet):
            return _row_or_404(queryset, *filter_kwargs.popitem())
        return _get_object_or_404(queryset, *filter_args, **filter_kwargs)
    except (TypeError, ValueError, OverflowError, ValidationError, DataError):
        raise Http404 from None


def _row_or_404(queryset: Any, name: str, value: Any) -> Any:
    try:
        return fast.row(queryset, name, value)
    except queryset.model.DoesNotExist as error:
        title = queryset.model._meta.object_name
        raise Http404(f"No {title} matches the given query.") from error


def _find(view: Any, queryset: Any) -> Any:
    lookup_url_kwarg = view.lookup_url_kwarg or view.lookup_field
    if lookup_url_kwarg not in view.kwargs:
        raise AssertionError(
            f"Expected view {type(view).__name__} to be called with a URL keyword argument "
            f'named "{lookup_url_kwarg}". Fix your URL conf, or set the `.lookup_field` '
            "attribute on the view correctly."
        )
    return get_object_or_404(queryset, **{view.lookup_field: view.kwargs[lookup_url_kwarg]})


# The hooks, in steps


@chain
def object_steps(view: Any) -> Steps[Any]:
    queryset = yield hook(view, "get_queryset")
    if view.scope_class is not None or view.parent_route is not None:
        queryset = yield blocking(within_view, view, queryset)
    queryset = yield hook(view, "filter_queryset", queryset)
    instance = yield blocking(_find, view, queryset)
    yield hook(view, "check_object_permissions", view.request, instance)
    return instance


@chain
def filter_steps(view: Any, queryset: Any) -> Steps[Any]:
    # Actions may have a queryset of their own.
    if view.scope_class is not None or view.parent_route is not None:
        queryset = yield blocking(within_view, view, queryset)
    for backend in view.filter_backends:
        filters = backend()
        if hasattr(filters, "filterset_base"):  # one of django-filter
            filters = fast.filter_backend(filters)
        queryset = yield hook(filters, "filter_queryset", view.request, queryset, view)
    return queryset


@chain
def pagination_steps(view: Any, queryset: Any) -> Steps[Any]:
    paginator = view.paginator
    if paginator is None:
        return None
    return (yield hook(paginator, "paginate_queryset", queryset, view.request, view=view))


if TYPE_CHECKING:

    class _APIViewOf(views.APIView, Generic[ModelT]): ...

else:
    # Types do not exist at run time: subscripting a class returns the class itself.
    _APIViewOf = {ModelT: views.APIView}


class GenericAPIView(_APIViewOf[ModelT]):
    """Base of the views over a queryset.

    Set ``queryset`` and ``serializer_class``, or override ``get_queryset()`` and
    ``get_serializer_class()``.
    """

    queryset: Any = None
    serializer_class: Any = None

    #: The field that identifies a row in the URL, and the name of its value in the URL pattern.
    lookup_field: str = "pk"
    lookup_url_kwarg: str | None = None

    filter_backends: Any = SettingDefault("DEFAULT_FILTER_BACKENDS")
    pagination_class: Any = SettingDefault("DEFAULT_PAGINATION_CLASS")

    def __class_getitem__(cls, *args: Any, **kwargs: Any) -> type[GenericAPIView]:
        return cls

    #: The :class:`lintel.scoping.RowScope` of this view and of the relations of its serializers.
    scope_class: Setting = SettingDefault("DEFAULT_SCOPE_CLASS")

    #: Where a router has nested this view.
    parent_route: Setting = None

    @prompt_when(lambda view: view.scope_class is None and view.parent_route is None)
    def get_queryset(self) -> models.QuerySet[ModelT]:
        """Return the rows before filtering. Raises AssertionError without a queryset."""
        if self.queryset is None:
            raise AssertionError(
                f"'{type(self).__name__}' should either include a `queryset` attribute, or "
                "override the `get_queryset()` method."
            )
        if isinstance(self.queryset, models.QuerySet):
            # Each request needs its own clone: the attribute lives as long as the process.
            rows = self.queryset.all()
        else:
            rows = self.queryset
        is_open = self.scope_class is None and self.parent_route is None
        return rows if is_open else within_view(self, rows)

    def get_object(self) -> ModelT:
        """Return the row at the URL. Raises Http404, NotAuthenticated, PermissionDenied."""
        return object_steps.run(self)

    @handing_on_rows
    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer_class = self.get_serializer_class()
        kwargs.setdefault("context", self.get_serializer_context())
        return serializer_class(*args, **kwargs)

    @prompt
    def get_serializer_class(self) -> Any:
        """Return the class of the serializer. Raises AssertionError if the view has none."""
        if self.serializer_class is None:
            raise AssertionError(
                f"'{type(self).__name__}' should either include a `serializer_class` attribute, "
                "or override the `get_serializer_class()` method."
            )
        return self.serializer_class

    def get_serializer_context(self) -> dict[str, Any]:
        return {"request": self.request, "format": self.format_kwarg, "view": self}

    def check_create_permissions(self, request: Request, validated_data: Instance) -> None:
        """Raise unless all permissions agree on an object with these values, before it is saved.

        Raises NotAuthenticated or PermissionDenied.
        """
        creation_permission_steps.run(self, request, validated_data)

    def filter_queryset(self, queryset: Any) -> Any:
        return filter_steps.run(self, queryset)

    @property
    def paginator(self) -> Any:
        if not hasattr(self, "_paginator"):
            pagination_class = self.pagination_class
            self._paginator = None if pagination_class is None else pagination_class()
        return self._paginator

    @handing_on_rows
    def paginate_queryset(self, queryset: Any) -> Any:
        """Return the rows of the requested page, or None without pagination."""
        return pagination_steps.run(self, queryset)

    def get_paginated_response(self, data: Any) -> Any:
        """Return the response for one page; raise AssertionError without pagination."""
        paginator = self.paginator
        if paginator is None:
            raise AssertionError(
                f"'{type(self).__name__}' has no pagination: set its `pagination_class`."
            )
        return paginator.get_paginated_response(data)

    # The same on the event loop

    acheck_create_permissions = on_the_loop(creation_permission_steps, check_create_permissions)
    aget_object = on_the_loop(object_steps, get_object)
    afilter_queryset = on_the_loop(filter_steps, filter_queryset)
    apaginate_queryset = handing_on_rows(on_the_loop(pagination_steps, paginate_queryset))


class CreateAPIView(mixins.CreateModelMixin, GenericAPIView[ModelT]):
    """POST creates a row."""

    def post(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.create(request, *args, **kwargs)


class ListAPIView(mixins.ListModelMixin, GenericAPIView[ModelT]):
    """GET lists rows."""

    def get(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.list(request, *args, **kwargs)


class RetrieveAPIView(mixins.RetrieveModelMixin, GenericAPIView[ModelT]):
    """GET returns one row."""

    def get(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.retrieve(request, *args, **kwargs)


class DestroyAPIView(mixins.DestroyModelMixin, GenericAPIView[ModelT]):
    """DELETE deletes a row."""

    def delete(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.destroy(request, *args, **kwargs)


class UpdateAPIView(mixins.UpdateModelMixin, GenericAPIView[ModelT]):
    """PUT and PATCH update a row."""

    def put(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.update(request, *args, **kwargs)

    def patch(self: AnyView, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        return self.partial_update(request, *args, **kwargs)


class ListCreateAPIView(mixins.ListModelMixin, mixins.CreateModelMixin, GenericAPIView[ModelT]):
    """GET lists rows, POST creates a row."""

    get = ListAPIView.get
    post = CreateAPIView.post


class RetrieveUpdateAPIView(
    mixins.RetrieveModelMixin, mixins.UpdateModelMixin, GenericAPIView[ModelT]
):
    """GET returns one row, PUT and PATCH update it."""

    get = RetrieveAPIView.get
    put = UpdateAPIView.put
    patch = UpdateAPIView.patch


class RetrieveDestroyAPIView(
    mixins.RetrieveModelMixin, mixins.DestroyModelMixin, GenericAPIView[ModelT]
):
    """GET returns one row, DELETE deletes it."""

    get = RetrieveAPIView.get
    delete = DestroyAPIView.delete


class RetrieveUpdateDestroyAPIView(
    mixins.RetrieveModelMixin,
    mixins.UpdateModelMixin,
    mixins.DestroyModelMixin,
    GenericAPIView[ModelT],
):
    """GET returns one row, PUT and PATCH update it, DELETE deletes it."""

    get = RetrieveAPIView.get
    put = UpdateAPIView.put
    patch = UpdateAPIView.patch
    delete = DestroyAPIView.delete


def awaiting(action: str) -> Any:
    """A handler that awaits the method of this name."""

    async def handler(
        self: AnyView, request: Request, *args: object, **kwargs: object
    ) -> HookResult:
        return await getattr(self, action)(request, *args, **kwargs)

    return handler


class AsyncCreateAPIView(CreateAPIView[ModelT]):
    """POST creates a row on the event loop."""

    post = awaiting("acreate")


class AsyncListAPIView(ListAPIView[ModelT]):
    """GET lists rows on the event loop."""

    get = awaiting("alist")


class AsyncRetrieveAPIView(RetrieveAPIView[ModelT]):
    """GET returns one row on the event loop."""

    get = awaiting("aretrieve")


class AsyncDestroyAPIView(DestroyAPIView[ModelT]):
    """DELETE deletes a row on the event loop."""

    delete = awaiting("adestroy")


class AsyncUpdateAPIView(UpdateAPIView[ModelT]):
    """PUT and PATCH update a row on the event loop."""

    put = awaiting("aupdate")
    patch = awaiting("apartial_update")


class AsyncListCreateAPIView(ListCreateAPIView[ModelT]):
    """GET lists rows, POST creates a row on the event loop."""

    get = awaiting("alist")
    post = awaiting("acreate")


class AsyncRetrieveUpdateAPIView(RetrieveUpdateAPIView[ModelT]):
    """GET returns one row, PUT and PATCH update it on the event loop."""

    get = awaiting("aretrieve")
    put = awaiting("aupdate")
    patch = awaiting("apartial_update")


class AsyncRetrieveDestroyAPIView(RetrieveDestroyAPIView[ModelT]):
    """GET returns one row, DELETE deletes it on the event loop."""

    get = awaiting("aretrieve")
    delete = awaiting("adestroy")


class AsyncRetrieveUpdateDestroyAPIView(RetrieveUpdateDestroyAPIView[ModelT]):
    """GET returns one row, PUT and PATCH update it, DELETE deletes it on the event loop."""

    get = awaiting("aretrieve")
    put = awaiting("aupdate")
    patch = awaiting("apartial_update")
    delete = awaiting("adestroy")
