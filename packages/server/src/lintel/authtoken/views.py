"""The view that returns a token for a user name and a password."""

from typing import Any

from lintel import parsers as parsers
from lintel import renderers as renderers
from lintel.annotations import HookResult
from lintel.authtoken.models import Token as Token
from lintel.authtoken.serializers import AuthTokenSerializer as AuthTokenSerializer
from lintel.request import Request
from lintel.response import Response as Response
from lintel.schemas import coreapi as coreapi_schema
from lintel.schemas.coreapi import ManualSchema as ManualSchema
from lintel.views import APIView as APIView
from lintel_document import Field, schemas


# Always JSON, whatever the settings say, open to everybody and not throttled. Subclasses
# override ``post`` to return more, or set ``throttle_classes``. A comment, because a docstring
# would be shown to clients as the description of the view.
class ObtainAuthToken(APIView):
    throttle_classes = ()
    permission_classes = ()
    parser_classes = (parsers.FormParser, parsers.MultiPartParser, parsers.JSONParser)
    renderer_classes = (renderers.JSONRenderer,)
    serializer_class = AuthTokenSerializer
    native_schema = coreapi_schema.ManualSchema(
        fields=[
            Field(
                name,
                required=True,
                location="form",
                schema=schemas.String(
                    title=name.title(), description=f"Valid {name} for authentication"
                ),
            )
            for name in ("username", "password")
        ],
        encoding="application/json",
    )

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[Any, str]:
        """Never fail: a client that accepts no renderer gets the first, which is JSON."""
        return super().perform_content_negotiation(request, force=True)

    def get_serializer_context(self) -> dict[str, Any]:
        return {"request": self.request, "format": self.format_kwarg, "view": self}

    def get_serializer(self, *args: object, **kwargs: object) -> Any:
        kwargs["context"] = self.get_serializer_context()
        return self.serializer_class(*args, **kwargs)

    def post(self, request: Request, *args: object, **kwargs: object) -> HookResult:
        # Returns the token of the user, created if there was none.
        user = user_of_credentials(self, request)
        token, _created = Token.objects.get_or_create(user=user)
        return Response({"token": token.key})


def user_of_credentials(view: ObtainAuthToken, request: Request) -> object:
    """Return the user whose name and password were sent. Raises ValidationError."""
    # If this fails, Django's error mails do not contain the password.
    request._request.sensitive_post_parameters = "__ALL__"  # type: ignore[attr-defined]
    serializer = view.get_serializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data["user"]


obtain_auth_token = ObtainAuthToken.as_view()
