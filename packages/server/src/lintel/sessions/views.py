"""The session of the caller: who it is, its CSRF token, login and logout.

A login needs a CSRF token, too: otherwise a page of another site could log its visitors in as
somebody else. A wrong password, an unknown name and a user who is not active take the same time and
get the same answer; Django's backends see to that.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model, login, logout
from django.middleware.csrf import get_token

from lintel import renderers, serializers
from lintel.annotations import HookResult
from lintel.authentication import SessionAuthentication
from lintel.authtoken.serializers import AuthTokenSerializer
from lintel.request import Request
from lintel.response import Response
from lintel.schemas import extend_schema
from lintel.sessions.throttles import LoginAddressThrottle, LoginNameThrottle
from lintel.views import APIView

#: What is said of a session is for its owner.
NO_STORE = {"Cache-Control": "no-store", "Vary": "Cookie"}


# Comments, because a docstring would be shown to clients as the description of a schema.
# What a session shows of its user.
class SessionUserSerializer(serializers.ModelSerializer):
    class Meta:
        model = get_user_model()
        fields = (model._meta.pk.name, model.USERNAME_FIELD)
        ref_name = "SessionUser"


# A user name and a password.
class LoginSerializer(AuthTokenSerializer):
    token = None


class SessionSerializer(serializers.Serializer):
    user: Any = SessionUserSerializer(allow_null=True)


class NewSessionSerializer(SessionSerializer):
    csrf_token: Any = serializers.CharField()


class CSRFSerializer(serializers.Serializer):
    csrf_token: Any = serializers.CharField()


class _View(APIView):
    permission_classes: Sequence[Any] = ()
    renderer_classes: Sequence[Any] = (renderers.JSONRenderer,)


def _shown(user: Any) -> Any:
    return SessionUserSerializer(user).data if user.is_authenticated else None


class SessionView(_View):
    """The user of the session, or null."""

    authentication_classes = (SessionAuthentication,)

    @extend_schema(operation_id="readSession", responses=SessionSerializer)
    def get(self, request: Request) -> HookResult:
        return Response({"user": _shown(request.user)}, headers=NO_STORE)


class CSRFView(_View):
    """A token to send in the header X-CSRFToken of requests that write; a cookie goes with it."""

    authentication_classes = ()

    @extend_schema(operation_id="readCSRFToken", responses=CSRFSerializer)
    def get(self, request: Request) -> HookResult:
        return Response({"csrf_token": get_token(request._request)}, headers=NO_STORE)


class LoginView(_View):
    """Log in. The session and the CSRF token are new afterwards."""

    authentication_classes = (SessionAuthentication,)
    throttle_classes: Any = (LoginAddressThrottle, LoginNameThrottle)
    serializer_class: Any = LoginSerializer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse requests without a CSRF token first: they count nowhere."""
        SessionAuthentication().enforce_csrf(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(operation_id="login", request=LoginSerializer, responses=NewSessionSerializer)
    def post(self, request: Request) -> HookResult:
        http_request: Any = request._request
        # If this fails, Django's error mails do not contain the password.
        http_request.sensitive_post_parameters = "__ALL__"
        serializer = self.serializer_class(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        user = serializer.validated_data["user"]
        login(http_request, user)
        # Django keeps the key if the same user has logged in before.
        http_request.session.cycle_key()
        token = get_token(http_request)
        return Response({"user": _shown(user), "csrf_token": token}, headers=NO_STORE)


class LogoutView(_View):
    """Log out, and delete the session. Without one, there is nothing to do."""

    authentication_classes = (SessionAuthentication,)

    @extend_schema(operation_id="logout", request=None, responses={204: None})
    def post(self, request: Request) -> HookResult:
        logout(request._request)
        return Response(status=204, headers=NO_STORE)
