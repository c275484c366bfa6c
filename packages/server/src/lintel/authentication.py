"""Identify the caller. The first scheme of a view that recognises credentials decides.

A scheme returns ``(user, auth)``, or None if the request has no credentials for it; it raises
AuthenticationFailed for invalid credentials. It only identifies: permissions decide.
"""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import authenticate, get_user_model
from django.http import HttpRequest
from django.middleware import csrf
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext_lazy as _

from lintel import HTTP_HEADER_ENCODING as HTTP_HEADER_ENCODING
from lintel import exceptions, fast
from lintel.annotations import AnyRequest, AnyUser, HookResult, Instance, Setting
from lintel.compatible import keeps
from lintel.cycle.waiting import needs_no_session
from lintel.marks import prompt_when
from lintel.overrides import is_ours
from lintel.settings import api_settings


def get_authorization_header(request: AnyRequest) -> bytes:
    """Return the value of the Authorization header as bytes; empty if there is none."""
    value = request.META.get("HTTP_AUTHORIZATION", b"")
    if isinstance(value, str):
        # Only a test client sends characters outside of the encoding.
        return value.encode(HTTP_HEADER_ENCODING, errors="replace")
    return value


def _has_no_header(authenticator: object, request: AnyRequest) -> bool:
    """Return whether there is nothing to look up; a project may read credentials from elsewhere."""
    return "HTTP_AUTHORIZATION" not in request.META and is_ours(get_authorization_header)


def _has_no_session(authenticator: object, request: AnyRequest) -> bool:
    return needs_no_session(request._request)


class CSRFCheck(CsrfViewMiddleware):
    """Django's check, changed to return the reason of a refusal instead of a page."""

    def _reject(self, request: HttpRequest, reason: str) -> HookResult:
        return reason


#: The codes of refusals, by how Django's reasons for them begin.
_CSRF_CODES = (
    ("Origin checking failed", "csrf_origin"),
    ("Referer checking failed", "csrf_referer"),
    (csrf.REASON_NO_CSRF_COOKIE, "csrf_cookie_missing"),
    (csrf.REASON_CSRF_TOKEN_MISSING, "csrf_token_missing"),
)


def _csrf_code(reason: str) -> str:
    codes = (code for start, code in _CSRF_CODES if reason.startswith(start))
    return next(codes, "csrf_token_incorrect")


def _decode(credentials: bytes) -> tuple[str, str]:
    """Decode user name and password: UTF-8, or Latin-1 as older clients send it."""
    try:
        decoded = base64.b64decode(credentials)
    except (binascii.Error, ValueError):
        raise _not_encoded() from None
    try:
        text = decoded.decode("utf-8")
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")
    userid, colon, password = text.partition(":")
    if not colon:
        # Older versions looked for a user of that name.
        raise _not_known() if keeps("basic-credentials") else _not_encoded()
    return userid, password


def _not_encoded() -> exceptions.AuthenticationFailed:
    return exceptions.AuthenticationFailed(
        _("Invalid basic header. Credentials not correctly base64 encoded.")
    )


def _not_known() -> exceptions.AuthenticationFailed:
    return exceptions.AuthenticationFailed(_("Invalid username/password."))


class BaseAuthentication:
    """Base of all schemes; ``authenticate`` may be ``async def``.

    ``may_fail``: whether wrong credentials are an error; ``checks_csrf``: whether unsafe requests
    need a CSRF token; ``carries_scopes``: whether ``request.auth`` has ``scopes``;
    ``further_statuses``: of its errors, beside 401 and 403. Descriptions of the API read them.
    """

    may_fail = True
    checks_csrf = False
    carries_scopes = False
    further_statuses: Sequence[int] = ()

    def authenticate(self, request: AnyRequest) -> HookResult:
        """Return ``(user, auth)``, or None. Raises AuthenticationFailed."""
        raise NotImplementedError(".authenticate() must be overridden.")

    def authenticate_header(self, request: AnyRequest) -> str | None:
        """Return the value of WWW-Authenticate for status 401; without one the status is 403."""
        return None


class BasicAuthentication(BaseAuthentication):
    """User name and password in each request (RFC 7617). Only for use over HTTPS."""

    www_authenticate_realm = "api"

    @prompt_when(_has_no_header)
    def authenticate(self, request: AnyRequest) -> HookResult:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != b"basic":
            return None
        if len(parts) == 1:
            raise exceptions.AuthenticationFailed(
                _("Invalid basic header. No credentials provided.")
            )
        if len(parts) > 2:
            raise exceptions.AuthenticationFailed(
                _("Invalid basic header. Credentials string should not contain spaces.")
            )
        userid, password = _decode(parts[1])
        return self.authenticate_credentials(userid, password, request)

    def authenticate_credentials(
        self, userid: str, password: str, request: AnyRequest = None
    ) -> tuple[AnyUser, AnyUser]:
        # No database has a name with NUL, and some fail if asked for one.
        user = None
        if "\0" not in userid:
            name_field = str(get_user_model().USERNAME_FIELD)
            names = {name_field: userid, "password": password}
            user = authenticate(request=request, **names)
        if user is None:
            raise _not_known()
        if not user.is_active:
            raise exceptions.AuthenticationFailed(_("User inactive or deleted."))
        return user, None

    def authenticate_header(self, request: AnyRequest) -> str | None:
        # A quoted string (RFC 9110, 5.6.4).
        realm = str(self.www_authenticate_realm).replace("\\", "\\\\").replace('"', '\\"')
        return f'Basic realm="{realm}"'


class SessionAuthentication(BaseAuthentication):
    """The user of Django's session. Unsafe requests need a CSRF token."""

    may_fail = False
    checks_csrf = True

    def get_openapi_security_scheme(self) -> dict[str, Any]:
        name = settings.SESSION_COOKIE_NAME
        return {"cookieAuth": {"type": "apiKey", "in": "cookie", "name": name}}

    @prompt_when(_has_no_session)
    def authenticate(self, request: AnyRequest) -> HookResult:
        user = getattr(request._request, "user", None)
        if not user or not user.is_active:
            return None
        self.enforce_csrf(request)
        return user, None

    def enforce_csrf(self, request: AnyRequest) -> None:
        """Raise PermissionDenied unless the request has the CSRF token, or needs none."""
        check = CSRFCheck(lambda request: None)  # type: ignore[arg-type]
        check.process_request(request)
        # An earlier check of the same request does not replace this one.
        request.csrf_processing_done = False
        reason = check.process_view(request, None, (), {})  # type: ignore[arg-type]
        if reason:
            raise exceptions.PermissionDenied(f"CSRF Failed: {reason}", _csrf_code(str(reason)))

    def authenticate_header(self, request: AnyRequest) -> str | None:
        """Return the setting SESSION_CHALLENGE; without it, refusals are 403."""
        challenge: str | None = api_settings.SESSION_CHALLENGE
        return challenge


class TokenAuthentication(BaseAuthentication):
    """A token in the header ``Authorization: Token <key>``. Only for use over HTTPS.

    Subclasses may set another ``keyword``, such as Bearer, and another ``model`` with the fields
    ``key`` and ``user``.
    """

    keyword = "Token"
    model: Setting = None

    def get_model(self) -> type[Instance]:
        if self.model is not None:
            return self.model
        return apps.get_model("authtoken", "Token")

    @prompt_when(_has_no_header)
    def authenticate(self, request: AnyRequest) -> HookResult:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != self.keyword.lower().encode():
            return None
        if len(parts) == 1:
            raise exceptions.AuthenticationFailed(
                _("Invalid token header. No credentials provided.")
            )
        if len(parts) > 2:
            raise exceptions.AuthenticationFailed(
                _("Invalid token header. Token string should not contain spaces.")
            )
        try:
            key = parts[1].decode()
        except UnicodeError:
            raise exceptions.AuthenticationFailed(
                _("Invalid token header. Token string should not contain invalid characters.")
            ) from None
        return self.authenticate_credentials(key)

    def authenticate_credentials(self, key: str) -> tuple[AnyUser, AnyUser]:
        """Return the user of a token, and the token. Raises AuthenticationFailed."""
        model = self.get_model()
        try:
            # No database has a key with NUL, and some fail if asked for one.
            if key and "\0" in key:
                raise model.DoesNotExist
            token = fast.row(model.objects.select_related("user"), "key", key)
        except model.DoesNotExist:
            raise exceptions.AuthenticationFailed(_("Invalid token.")) from None
        if not token.user.is_active:
            raise exceptions.AuthenticationFailed(_("User inactive or deleted."))
        return token.user, token

    def authenticate_header(self, request: AnyRequest) -> str | None:
        return self.keyword


class RemoteUserAuthentication(BaseAuthentication):
    """The user identified by the web server in front.

    Needs a RemoteUserBackend in AUTHENTICATION_BACKENDS. The web server must control ``header``: a
    name that starts with ``HTTP_`` could be sent by any client.
    """

    header = "REMOTE_USER"
    may_fail = False

    def authenticate(self, request: AnyRequest) -> HookResult:
        user = authenticate(request=request, remote_user=request.META.get(self.header))
        return (user, None) if user and user.is_active else None

    def get_openapi_security_scheme(self) -> None:
        """None: clients send nothing of their own."""
