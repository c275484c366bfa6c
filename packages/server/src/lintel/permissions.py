"""Who may do what. All permissions of a view must agree, before the handler and per object.

Permission classes combine: ``IsAdminUser | (IsAuthenticated & ReadOnly)``, ``~IsAuthenticated``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, QuerySet
from django.http import Http404

from lintel import exceptions
from lintel.annotations import AnyRequest, AnyView, HookResult, Instance
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, arun, complete, hook
from lintel.marks import prompt, prompt_when
from lintel.protected_resources import bearer_challenge
from lintel.request import Request, knows_user

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

Operand: TypeAlias = Any  # a permission or its class: ours, a project's, or a combination
Operator: TypeAlias = Callable[..., Operand]
Values: TypeAlias = Any  # validated data, by source


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


@dataclass(eq=False, repr=False)
class SingleOperandHolder(OperationHolderMixin):
    """The class of ``~A``: called like a class, it creates the combined permission."""

    operator_class: Operator
    op1_class: Operand

    def __call__(self, *args: object, **kwargs: object) -> Operand:
        return self.operator_class(self.op1_class(*args, **kwargs))


@dataclass(unsafe_hash=True, repr=False)
class OperandHolder(OperationHolderMixin):
    """The class of ``A & B`` and ``A | B``: called like a class, it combines permissions."""

    operator_class: Operator
    op1_class: Operand
    op2_class: Operand

    def __call__(self, *args: object, **kwargs: object) -> Operand:
        op1 = self.op1_class(*args, **kwargs)
        op2 = self.op2_class(*args, **kwargs)
        return self.operator_class(op1, op2)


@chain
def _both_steps(permission: Operand, name: str, *arguments: object) -> Steps[HookResult]:
    granted = yield hook(permission.op1, name, *arguments)
    return granted and (yield hook(permission.op2, name, *arguments))


@chain
def _either_steps(
    permission: Operand, name: str, request: AnyRequest, view: AnyView, *instance: Instance
) -> Steps[HookResult]:
    granted = False
    for operand in permission.hook_parts:
        granted = yield hook(operand, "has_permission", request, view)
        if granted and instance:
            granted = yield hook(operand, name, request, view, *instance)
        if granted:
            break
    return granted


@chain
def _negated_steps(permission: Operand, name: str, *arguments: object) -> Steps[bool]:
    if name == "has_creation_permission" and not _decides_creation(permission.op1):
        return True
    return not (yield hook(permission.op1, name, *arguments))


class _Combination:
    steps: Any

    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        return self.steps.run(self, "has_permission", request, view)

    def has_object_permission(
        self, request: AnyRequest, view: AnyView, obj: Instance
    ) -> HookResult:
        return self.steps.run(self, "has_object_permission", request, view, obj)

    def has_creation_permission(
        self, request: AnyRequest, view: AnyView, validated_data: Values
    ) -> HookResult:
        return self.steps.run(self, "has_creation_permission", request, view, validated_data)

    def ahas_permission(self, request: Request, view: AnyView) -> HookResult:
        return arun(self.steps(self, "has_permission", request, view))

    def ahas_object_permission(self, request: Request, view: AnyView, obj: Instance) -> HookResult:
        return arun(self.steps(self, "has_object_permission", request, view, obj))

    def ahas_creation_permission(
        self, request: Request, view: AnyView, validated_data: Values
    ) -> HookResult:
        return arun(self.steps(self, "has_creation_permission", request, view, validated_data))


class _Pair(_Combination):
    def __init__(self, op1: Operand, op2: Operand) -> None:
        self.op1 = op1
        self.op2 = op2

    @property
    def hook_parts(self) -> tuple[Operand, ...]:
        return self.op1, self.op2


class AND(_Pair):
    steps = staticmethod(_both_steps)


class OR(_Pair):
    """Grants if one of two permissions does.

    For an object it must be one that also granted the request: otherwise a permission that
    refused the request could still grant the object, by the default of its other hook.
    """

    steps = staticmethod(_either_steps)


class NOT(_Combination):
    """Negates a permission; for an object, only its object hook."""

    steps = staticmethod(_negated_steps)

    def __init__(self, op1: Operand) -> None:
        self.op1 = op1

    @property
    def hook_parts(self) -> tuple[Operand, ...]:
        return (self.op1,)


class BasePermissionMetaclass(OperationHolderMixin, type):  # type: ignore[misc]
    """Lets permission classes themselves be combined with &, | and ~."""


class BasePermission(metaclass=BasePermissionMetaclass):
    """Base of permissions. Hooks may be ``async def``; a refusal has ``message`` and ``code``."""

    @prompt
    def has_permission(self, request: Request, view: AnyView) -> HookResult:
        return True

    @prompt
    def has_object_permission(self, request: Request, view: AnyView, obj: Instance) -> HookResult:
        return True

    @prompt
    def has_creation_permission(
        self, request: Request, view: AnyView, validated_data: Values
    ) -> HookResult:
        """Return whether an object with these values may be created."""
        return True


def _decides_creation(permission: Operand) -> bool:
    parts = getattr(permission, "hook_parts", None)
    if parts is not None:
        return any(map(_decides_creation, parts))
    method = getattr(type(permission), "has_creation_permission", None)
    variant = getattr(type(permission), "ahas_creation_permission", None)
    return variant is not None or method not in (None, BasePermission.has_creation_permission)


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
        if method not in self.perms_map:
            raise exceptions.MethodNotAllowed(method)
        options = model_cls._meta
        names = {"app_label": options.app_label, "model_name": options.model_name}
        return [permission % names for permission in self.perms_map[method]]

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

    def _queryset(self, view: AnyView) -> QuerySet[Any]:
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

    get_required_object_permissions = DjangoModelPermissions.get_required_permissions

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


class HasScopes(BasePermission):
    """Allow credentials with all the scopes of ``required_scopes``, an attribute of the view.

    It is a list of names, or a mapping to such lists from actions, methods, or ``"*"`` for others.
    Scopes are those of ``request.auth.scopes``. Other credentials, such as a session, have none,
    and are refused unless ``allow_without_scopes`` is set.
    """

    message: Any = None
    code: str | None = "insufficient_scope"

    #: Whether users whose credentials know no scopes are allowed.
    allow_without_scopes = False

    def get_required_scopes(self, request: AnyRequest, view: AnyView) -> Collection[str]:
        """Return names of scopes. Raises ImproperlyConfigured if the view does not say them."""
        return scopes_of_view(view, request.method)

    @prompt_when(_asks_nobody)
    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        required = self.get_required_scopes(request, view)
        if not request.user or not request.user.is_authenticated:
            return False
        granted = getattr(request.auth, "scopes", None)
        if granted is None:
            return self.allow_without_scopes or not required
        return set(required) <= set(granted)

    def refusal_challenge(self, request: AnyRequest, view: AnyView) -> str:
        """Return what WWW-Authenticate says in a 403 (RFC 6750, 3.1)."""
        scopes = self.get_required_scopes(request, view)
        return bearer_challenge(None, error="insufficient_scope", scopes=scopes)


def scopes_of_view(view: AnyView, method: str | None) -> Collection[str]:
    """Return what ``required_scopes`` says for a method. Raises ImproperlyConfigured."""
    said = getattr(view, "required_scopes", None)
    if not hasattr(view, (method or "").lower()):
        return ()  # such a method is refused anyway
    if isinstance(said, Mapping):
        keys = (getattr(view, "action", None), method, _READ_LIKE.get(method or ""), "*")
        said = next((said[key] for key in keys if key in said), None)
    if said is None and getattr(view, "_ignore_model_permissions", False):
        return ()  # pages and documents of the API itself
    if said is None or isinstance(said, str):
        raise ImproperlyConfigured(
            f"{type(view).__name__} is checked by HasScopes: set required_scopes to a list of "
            f"names for {method} ([] for none), or to a mapping from actions or methods to such."
        )
    return said


#: What is asked for if a mapping of scopes does not name a method.
_READ_LIKE = {"HEAD": "GET", "OPTIONS": "GET"}


def scope_permissions(classes: Iterable[Operand]) -> Iterator[type[HasScopes]]:
    """Yield the permissions by scopes that every request must pass."""
    for cls in classes:
        if isinstance(cls, OperandHolder) and cls.operator_class is AND:
            yield from scope_permissions((cls.op1_class, cls.op2_class))
        elif isinstance(cls, type) and issubclass(cls, HasScopes):
            yield cls


def scopes_wanted(request: AnyRequest) -> list[str]:
    """Return the scopes that the view of a request asks for, as far as it says so."""
    view = (getattr(request, "parser_context", None) or {}).get("view")
    result: dict[str, None] = {}
    for permission in scope_permissions(getattr(view, "permission_classes", ())):
        try:
            result.update(dict.fromkeys(permission().get_required_scopes(request, view)))
        except ImproperlyConfigured:
            return []
    return list(result)
