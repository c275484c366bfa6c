"""Who may do what. All permissions of a view must agree, before the handler and per object.

Permission classes combine: ``IsAdminUser | (IsAuthenticated & ReadOnly)``, ``~IsAuthenticated``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from django.db.models import Model, QuerySet
from django.http import Http404

from lintel import exceptions
from lintel.annotations import AnyRequest, AnyView, HookResult, Instance
from lintel.cycle.steps import complete, run_hook
from lintel.marks import prompt, prompt_when
from lintel.request import Request, knows_user

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

#: A permission, or a class of permissions: ours, a project's, or a combination of them.
Operand: TypeAlias = Any

#: AND, OR or NOT.
Operator: TypeAlias = Callable[..., Operand]


def _asks_nobody(permission: object, request: Request, view: object) -> bool:
    return knows_user(request)


class OperationHolderMixin:
    """Gives permission classes, and combinations of them, the operators &, | and ~."""

    def __and__(self, other: object) -> OperandHolder:
        return OperandHolder(AND, self, other)

    def __or__(self, other: object) -> OperandHolder:
        return OperandHolder(OR, self, other)

    def __rand__(self, other: object) -> OperandHolder:
        return OperandHolder(AND, other, self)

    def __ror__(self, other: object) -> OperandHolder:
        return OperandHolder(OR, other, self)

    def __invert__(self) -> SingleOperandHolder:
        return SingleOperandHolder(NOT, self)


class SingleOperandHolder(OperationHolderMixin):
    """The class of ``~A``: called like a class, it creates the combined permission."""

    def __init__(self, operator_class: Operator, op1_class: Operand) -> None:
        self.operator_class = operator_class
        self.op1_class = op1_class

    def __call__(self, *args: object, **kwargs: object) -> Operand:
        return self.operator_class(self.op1_class(*args, **kwargs))


class OperandHolder(OperationHolderMixin):
    """The class of ``A & B`` and ``A | B``: called like a class, it combines permissions."""

    def __init__(self, operator_class: Operator, op1_class: Operand, op2_class: Operand) -> None:
        self.operator_class = operator_class
        self.op1_class = op1_class
        self.op2_class = op2_class

    def __call__(self, *args: object, **kwargs: object) -> Operand:
        op1 = self.op1_class(*args, **kwargs)
        op2 = self.op2_class(*args, **kwargs)
        return self.operator_class(op1, op2)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, OperandHolder)
            and self.operator_class == other.operator_class
            and self.op1_class == other.op1_class
            and self.op2_class == other.op2_class
        )

    def __hash__(self) -> int:
        return hash((self.operator_class, self.op1_class, self.op2_class))


class _Pair:
    def __init__(self, op1: Operand, op2: Operand) -> None:
        self.op1 = op1
        self.op2 = op2

    @property
    def hook_parts(self) -> tuple[Operand, ...]:
        return self.op1, self.op2


class AND(_Pair):
    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        return complete(self.op1.has_permission(request, view)) and complete(
            self.op2.has_permission(request, view)
        )

    def has_object_permission(
        self, request: AnyRequest, view: AnyView, obj: Instance
    ) -> HookResult:
        return complete(self.op1.has_object_permission(request, view, obj)) and complete(
            self.op2.has_object_permission(request, view, obj)
        )

    async def ahas_permission(self, request: Request, view: AnyView) -> HookResult:
        arguments = ("has_permission", request, view)
        return await run_hook(self.op1, *arguments) and await run_hook(self.op2, *arguments)

    async def ahas_object_permission(
        self, request: Request, view: AnyView, obj: Instance
    ) -> HookResult:
        arguments = ("has_object_permission", request, view, obj)
        return await run_hook(self.op1, *arguments) and await run_hook(self.op2, *arguments)


class OR(_Pair):
    """Grants if one of two permissions does.

    For an object it must be one that also granted the request: otherwise a permission that
    refused the request could still grant the object, by the default of its other hook.
    """

    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        return complete(self.op1.has_permission(request, view)) or complete(
            self.op2.has_permission(request, view)
        )

    def has_object_permission(
        self, request: AnyRequest, view: AnyView, obj: Instance
    ) -> HookResult:
        return any(
            complete(operand.has_permission(request, view))
            and complete(operand.has_object_permission(request, view, obj))
            for operand in (self.op1, self.op2)
        )

    async def ahas_permission(self, request: Request, view: AnyView) -> HookResult:
        arguments = ("has_permission", request, view)
        return await run_hook(self.op1, *arguments) or await run_hook(self.op2, *arguments)

    async def ahas_object_permission(
        self, request: Request, view: AnyView, obj: Instance
    ) -> HookResult:
        for operand in (self.op1, self.op2):
            if await run_hook(operand, "has_permission", request, view) and await run_hook(
                operand, "has_object_permission", request, view, obj
            ):
                return True
        return False


class NOT:
    """Negates a permission; for an object, only its object hook."""

    def __init__(self, op1: Operand) -> None:
        self.op1 = op1

    @property
    def hook_parts(self) -> tuple[Operand, ...]:
        return (self.op1,)

    def has_permission(self, request: AnyRequest, view: AnyView) -> bool:
        return not complete(self.op1.has_permission(request, view))

    def has_object_permission(self, request: AnyRequest, view: AnyView, obj: Instance) -> bool:
        return not complete(self.op1.has_object_permission(request, view, obj))

    async def ahas_permission(self, request: Request, view: AnyView) -> bool:
        return not await run_hook(self.op1, "has_permission", request, view)

    async def ahas_object_permission(self, request: Request, view: AnyView, obj: Instance) -> bool:
        return not await run_hook(self.op1, "has_object_permission", request, view, obj)


class BasePermissionMetaclass(OperationHolderMixin, type):  # type: ignore[misc]
    """Lets permission classes themselves be combined with &, | and ~."""


class BasePermission(metaclass=BasePermissionMetaclass):
    """Base of all permissions; both hooks may be ``async def``.

    The attributes ``message`` and ``code``, if a class has them, are used in the refusal.
    """

    @prompt
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        return True

    @prompt
    def has_object_permission(self, request: Request, view: AnyView, obj: Instance) -> HookResult:
        return True


class AllowAny(BasePermission):
    """Allow everyone: the same as no permission, but explicit."""

    @prompt
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        return True


class IsAuthenticated(BasePermission):
    @prompt_when(_asks_nobody)
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        user = request.user
        return bool(user and user.is_authenticated)


class IsAdminUser(BasePermission):
    @prompt_when(_asks_nobody)
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        user = request.user
        return bool(user and user.is_staff)


class IsAuthenticatedOrReadOnly(BasePermission):
    @prompt_when(_asks_nobody)
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        return bool(
            request.method in SAFE_METHODS or (request.user and request.user.is_authenticated)
        )


def _filled_in(perms_map: Mapping[str, list[str]], method: str, model: type[Model]) -> list[str]:
    if method not in perms_map:
        raise exceptions.MethodNotAllowed(method)
    options = model._meta
    names = {"app_label": options.app_label, "model_name": options.model_name}
    return [permission % names for permission in perms_map[method]]


class DjangoModelPermissions(BasePermission):
    """Allow users with permissions of ``django.contrib.auth`` on the model of the view."""

    #: Permissions by method; ``%(app_label)s`` and ``%(model_name)s`` are filled in.
    perms_map: dict[str, list[str]] = {
        "GET": [],
        "OPTIONS": [],
        "HEAD": [],
        "POST": ["%(app_label)s.add_%(model_name)s"],
        "PUT": ["%(app_label)s.change_%(model_name)s"],
        "PATCH": ["%(app_label)s.change_%(model_name)s"],
        "DELETE": ["%(app_label)s.delete_%(model_name)s"],
    }

    authenticated_users_only = True

    def get_required_permissions(self, method: str, model_cls: type[Model]) -> list[str]:
        """Return names of permissions. Raises MethodNotAllowed for a method not mapped."""
        return _filled_in(self.perms_map, method, model_cls)

    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        # An anonymous caller costs no query, and learns nothing about the queryset.
        if not request.user or (
            not request.user.is_authenticated and self.authenticated_users_only
        ):
            return False
        if getattr(view, "_ignore_model_permissions", False):
            return True
        model = self._queryset(view).model
        return request.user.has_perms(self.get_required_permissions(request.method, model))

    def _queryset(self, view: AnyView) -> QuerySet:
        if hasattr(view, "get_queryset"):
            queryset = complete(view.get_queryset())
            if queryset is None:
                raise AssertionError(f"{type(view).__name__}.get_queryset() returned None")
            return queryset
        queryset = getattr(view, "queryset", None)
        if queryset is None:
            raise AssertionError(
                f"Cannot apply {type(self).__name__} on a view that does not set `.queryset` or "
                "have a `.get_queryset()` method."
            )
        return queryset


class DjangoModelPermissionsOrAnonReadOnly(DjangoModelPermissions):
    """DjangoModelPermissions, but anonymous users may read."""

    authenticated_users_only = False


class DjangoObjectPermissions(DjangoModelPermissions):
    """Allow users with permissions for single objects; who may not read one gets 404."""

    perms_map: dict[str, list[str]] = DjangoModelPermissions.perms_map.copy()

    def get_required_object_permissions(self, method: str, model_cls: type[Model]) -> list[str]:
        """Return names of permissions. Raises MethodNotAllowed for a method not mapped."""
        return _filled_in(self.perms_map, method, model_cls)

    def has_object_permission(
        self, request: AnyRequest, view: AnyView, obj: Instance
    ) -> HookResult:
        model = self._queryset(view).model
        user = request.user
        if user.has_perms(self.get_required_object_permissions(request.method, model), obj):
            return True
        may_read = request.method not in SAFE_METHODS and user.has_perms(
            self.get_required_object_permissions("GET", model), obj
        )
        if not may_read:
            raise Http404
        return False
