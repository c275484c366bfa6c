"""The tokens of the caller: to list, create, replace and revoke."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connections, router, transaction
from django.http import Http404
from django.utils import timezone

from lintel import exceptions, mixins, viewsets
from lintel.annotations import AnyRequest, AnyUser, AnyView, HookResult
from lintel.decorators import action
from lintel.hashedtokens.models import HashedToken
from lintel.hashedtokens.serializers import HashedTokenSerializer, NewTokenSerializer
from lintel.permissions import BasePermission, IsAuthenticated
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import extend_schema

#: A response with a key must not be stored.
NO_STORE = {"Cache-Control": "no-store"}

TOO_MANY = "There are too many tokens: revoke one."


class MayCreateTokens(BasePermission):
    """Refuse to create a token by a token, which would outlive it, unless the view allows it."""

    message = "Tokens are created by a session or a password, not by a token."

    def has_permission(self, request: AnyRequest, view: AnyView) -> HookResult:
        return request.auth is None or view.by_tokens or view.action != "create"


# A comment, because a docstring would be shown to clients as the description of the view.
# ``by_tokens``: whether callers that authenticate by any token manage the others of their user;
# a hashed token sees, replaces and revokes itself in any case. ``max_lifetime``: of new tokens.
class HashedTokenViewSet(
    mixins.ListModelMixin,
    mixins.RetrieveModelMixin,
    mixins.CreateModelMixin,
    mixins.DestroyModelMixin,
    viewsets.GenericViewSet,
):
    queryset: Any = HashedToken.objects.none()
    serializer_class: Any = HashedTokenSerializer
    permission_classes: Sequence[Any] = (IsAuthenticated, MayCreateTokens)
    #: A token belongs to its user, whatever a project says of its own rows.
    scope_class: Any = None

    by_tokens = False
    max_lifetime: timedelta | None = None
    tokens_per_user: int | None = 100

    def get_queryset(self) -> Any:
        request = self.request
        if not request.user.is_authenticated:
            return HashedToken.objects.none()
        tokens = HashedToken.objects.filter(user=request.user, revoked=None, replaced=None)
        if request.auth is not None and not self.by_tokens:
            key = request.auth.pk if isinstance(request.auth, HashedToken) else None
            tokens = tokens.filter(pk=key)
        return tokens.order_by("-created", "-pk")

    def get_serializer_class(self) -> Any:
        has_key = self.action in ("create", "rotate")
        return NewTokenSerializer if has_key else super().get_serializer_class()

    def create(self, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        response: Any = super().create(request, *args, **kwargs)
        response["Cache-Control"] = NO_STORE["Cache-Control"]
        return response

    def perform_create(self, serializer: Any) -> HookResult:
        given, auth, user = serializer.validated_data, self.request.auth, self.request.user
        tokens = HashedToken.objects.filter(user=user, revoked=None, replaced=None)
        with _in_turn(user):
            if self.tokens_per_user is not None and tokens.count() >= self.tokens_per_user:
                raise exceptions.ValidationError(TOO_MANY, "too_many")
            serializer.save(
                user=user,
                scopes=_granted(given.get("scopes"), auth),
                expires=_latest(given.get("expires"), auth, self.max_lifetime),
                idle_seconds=_least(given.get("idle_seconds"), getattr(auth, "idle_seconds", None)),
            )

    def perform_destroy(self, instance: HashedToken) -> HookResult:
        if not instance.revoke():
            raise Http404  # what has replaced it would live on

    @extend_schema(request=None, responses={201: NewTokenSerializer})
    @action(detail=True, methods=["post"], parser_classes=[])
    def rotate(self, request: Request, *args: Any, **kwargs: Any) -> HookResult:
        target, auth = self.get_object(), request.auth
        if auth is not None and auth != target and not _is_within(target, auth):
            raise exceptions.PermissionDenied("This token may do more than yours, or lasts longer.")
        token = target.rotate()
        if token is None:
            raise Http404  # another request has replaced or revoked it
        return Response(self.get_serializer(token).data, status=201, headers=NO_STORE)


@contextmanager
def _in_turn(user: AnyUser) -> Iterator[None]:
    """Let simultaneous requests of one user count each other's tokens, if the database can."""
    alias = router.db_for_write(HashedToken)
    if not connections[alias].features.has_select_for_update:
        yield
        return
    with transaction.atomic(using=alias):
        list(get_user_model()._base_manager.using(alias).select_for_update().filter(pk=user.pk))
        yield


def _granted(wanted: Sequence[str] | None, auth: object) -> Sequence[str] | None:
    """Return the scopes of a new token. Raises ValidationError for more than the caller has."""
    scopes = getattr(auth, "scopes", None)
    if scopes is None:
        return wanted
    if wanted is None:
        return sorted(scopes)
    if not set(wanted) <= set(scopes):
        raise exceptions.ValidationError(
            {"scopes": ["Your token does not have all of these scopes."]}, "insufficient_scope"
        )
    return wanted


def _latest(wanted: datetime | None, auth: object, lifetime: timedelta | None) -> datetime | None:
    """Return when a new token ends: as wanted, but not after its creator or the limit."""
    limit = None if lifetime is None else timezone.now() + lifetime
    return _least(wanted, getattr(auth, "expires", None), limit)


def _least(*limits: Any) -> Any:
    """The strictest limit; None, which is no limit, if all are."""
    return min((limit for limit in limits if limit is not None), default=None)


def _is_within(token: HashedToken, auth: object) -> bool:
    """Whether a token has no scope that its caller's lacks, and ends with it at the latest.

    Replacing another token shows its new key: whoever has that can do what the token may.
    """
    scopes = getattr(auth, "scopes", None)
    has_scopes = scopes is None or (token.scopes is not None and set(token.scopes) <= set(scopes))
    limits = (getattr(auth, name, None) for name in ("expires", "idle_seconds"))
    ends = zip((token.expires, token.idle_seconds), limits, strict=True)
    return has_scopes and all(end == _least(end, limit) for end, limit in ends)
