"""Authentication by access tokens in the form of RFC 9068, sent as RFC 6750 says."""

import logging
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.utils.translation import gettext_lazy as _

from lintel import exceptions
from lintel.annotations import AnyRequest, HookResult
from lintel.authentication import BaseAuthentication, get_authorization_header
from lintel.cycle.chains import chain
from lintel.cycle.steps import Steps, blocking, hook, on_the_loop
from lintel.jwt.keys import KeysUnavailable
from lintel.jwt.tokens import AccessToken, Claims, scopes_in
from lintel.jwt.verification import Expected, Expired, Refused, checked_algorithms, issuer_of
from lintel.jwt.verification import verified as verified
from lintel.marks import prompt_when
from lintel.permissions import scopes_wanted
from lintel.protected_resources import bearer_challenge
from lintel.settings import SettingDefault

logger = logging.getLogger(__name__)


class InvalidToken(exceptions.AuthenticationFailed):
    default_detail: exceptions.Detail = _("Invalid token.")
    default_code = "invalid_token"


def _token_in(authenticator: "JWTAuthentication", request: AnyRequest) -> str | None:
    """Return the token of a request, None if it is for another scheme. Raises InvalidToken."""
    parts = get_authorization_header(request).split()
    if not parts or parts[0].lower() != b"bearer":
        return None
    token = parts[1].decode("latin-1") if len(parts) == 2 else ""
    if authenticator.leaves_others and issuer_of(token) != authenticator.issuer:
        return None
    if not token:
        raise InvalidToken
    return token


def _sends_none(authenticator: object, request: AnyRequest) -> bool:
    return get_authorization_header(request)[:6].lower() != b"bearer"


@chain
def _identity_steps(authenticator: Any, request: AnyRequest) -> Steps[HookResult]:
    token = _token_in(authenticator, request)
    if token is None:
        return None
    # This may fetch keys.
    claims = yield blocking(_checked, token, _expected_of(authenticator))
    user = yield hook(authenticator, "get_user", claims)
    if user is None:
        raise InvalidToken
    if not getattr(user, "is_active", True):
        raise exceptions.AuthenticationFailed(_("User inactive or deleted."))
    return user, AccessToken(claims, frozenset(authenticator.get_scopes(claims)))


def _checked(token: str, expected: Expected) -> Claims:
    try:
        return verified(token, expected)
    except Expired:
        raise InvalidToken("The token has expired.", "token_expired") from None
    except Refused as refusal:
        logger.info("A token was refused: %.200s.", refusal)
        raise InvalidToken from None


class JWTAuthentication(BaseAuthentication):
    """An access token of an issuer, in the header ``Authorization: Bearer <token>``.

    ``request.auth`` is an :class:`~lintel.jwt.AccessToken`.
    """

    carries_scopes = True
    further_statuses = (KeysUnavailable.status_code,)

    #: Who issues the tokens, whom they must be for, and where the issuer's public keys are.
    issuer: Any = SettingDefault("JWT_ISSUER")
    audience: Any = SettingDefault("JWT_AUDIENCE")
    keys_url: Any = SettingDefault("JWT_KEYS_URL")

    #: Allowed signatures.
    algorithms: Sequence[str] = ("RS256", "PS256", "ES256", "EdDSA")
    #: Allowed values of the header ``typ``, which tells access tokens from others (RFC 9068, 2.1);
    #: "" for tokens without it.
    token_types: Sequence[str] = ("at+jwt",)
    #: Claims that a token must have, beside ``iss`` and ``aud``.
    required_claims: Sequence[str] = ("exp", "sub")
    #: By how many seconds clocks may differ.
    leeway: float = 30
    #: Whether tokens of other issuers, or of another form, are left to the next scheme.
    leaves_others: bool = False

    #: The claim that identifies the user, and the field of the user model; None: USERNAME_FIELD.
    user_claim: str = "sub"
    user_field: str | None = None

    @prompt_when(_sends_none)
    def authenticate(self, request: AnyRequest) -> HookResult:
        return _identity_steps.run(self, request)

    aauthenticate = on_the_loop(_identity_steps, authenticate)

    def get_user(self, claims: Claims) -> HookResult:
        """Return the user of a token, None for nobody. May be ``async def``."""
        model = get_user_model()
        identity = claims.get(self.user_claim)
        if not isinstance(identity, str) or not identity or "\0" in identity:
            return None
        field = self.user_field or str(model.USERNAME_FIELD)
        try:
            return model._default_manager.filter(**{field: identity}).first()
        except (ValueError, ValidationError):  # no number, no UUID, half of a surrogate pair
            return None

    def get_scopes(self, claims: Claims) -> frozenset[str]:
        """Return the names of the scopes of a token."""
        return scopes_in(claims)

    def authenticate_header(self, request: AnyRequest) -> str | None:
        """Return what RFC 6750 (3) and RFC 9728 (5.1) tell a client without a valid token."""
        error = getattr(request, "authentication_error", None)
        is_invalid = error is not None and issubclass(error, InvalidToken)
        return bearer_challenge(
            request,
            audience=self.audience,
            error="invalid_token" if is_invalid else None,
            scopes=scopes_wanted(request),
        )

    def get_openapi_security_scheme(self) -> dict[str, Any]:
        return {"bearerAuth": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}


def _expected_of(authenticator: Any) -> Expected:
    """Return what tokens must be. Raises ImproperlyConfigured if that was not said."""
    audience = authenticator.audience
    given = (audience,) if isinstance(audience, str) else tuple(audience or ())
    settings = {"JWT_ISSUER": authenticator.issuer, "JWT_AUDIENCE": given}
    settings["JWT_KEYS_URL"] = authenticator.keys_url
    missing = [name for name, value in settings.items() if not value]
    if missing:
        raise ImproperlyConfigured(
            f"{type(authenticator).__name__} needs the settings {', '.join(missing)}, or the "
            "attributes issuer, audience and keys_url."
        )
    return Expected(
        issuer=authenticator.issuer,
        audience=given,
        keys_url=authenticator.keys_url,
        algorithms=checked_algorithms(tuple(authenticator.algorithms)),
        types=tuple(token_type.lower() for token_type in authenticator.token_types),
        required=tuple(authenticator.required_claims),
        leeway=authenticator.leeway,
    )
