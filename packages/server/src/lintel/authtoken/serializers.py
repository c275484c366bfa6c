"""The input for getting a token."""

from typing import Any

from django.contrib.auth import authenticate
from django.utils.translation import gettext_lazy as _

from lintel import serializers


# User name and password; valid data has the ``user`` as well. A comment, because schema
# generators would show a docstring as the description of a project's own endpoint.
class AuthTokenSerializer(serializers.Serializer):
    username: Any = serializers.CharField(label=_("Username"), write_only=True)
    password: Any = serializers.CharField(
        label=_("Password"),
        style={"input_type": "password"},
        trim_whitespace=False,
        write_only=True,
    )
    token: Any = serializers.CharField(label=_("Token"), read_only=True)

    def validate(self, attrs: Any) -> Any:
        """Add the user. Raises the same ValidationError for every reason."""
        user = None
        if attrs.get("username") and attrs.get("password"):
            user = authenticate(
                request=self.context.get("request"),
                username=attrs["username"],
                password=attrs["password"],
            )
        else:
            message = _('Must include "username" and "password".')
            raise serializers.ValidationError(message, code="authorization")
        if not user:
            message = _("Unable to log in with provided credentials.")
            raise serializers.ValidationError(message, code="authorization")
        attrs["user"] = user
        return attrs
