"""What owners see of their tokens, and say of new ones."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lintel import serializers
from lintel.fields.describing import Schema, ViewSchema
from lintel.hashedtokens.models import HashedToken
from lintel.protected_resources import SCOPE
from lintel.settings import api_settings

#: Seconds of disuse: ten years.
LONGEST_IDLE = 10 * 365 * 24 * 60 * 60


class ScopeField(serializers.CharField):
    """The name of a scope: one of the setting SCOPES, any if that is empty."""

    default_error_messages: dict[str, Any] = {
        "invalid_choice": _('"{input}" is not a valid choice.')
    }

    def describe_values(self, schema: ViewSchema) -> Schema:
        scopes = list(api_settings.SCOPES)
        return {"type": "string", "enum": scopes} if scopes else super().describe_values(schema)

    def to_internal_value(self, data: object) -> str:
        name: str = super().to_internal_value(data)
        allowed = api_settings.SCOPES
        if (allowed and name not in allowed) or not SCOPE.fullmatch(name):
            self.fail("invalid_choice", input=name)
        return name


# Comments, because a docstring would be shown to clients as the description of a schema.
# A token without its key.
class HashedTokenSerializer(serializers.ModelSerializer):
    #: None for a token that scopes do not limit.
    scopes: Any = serializers.ListField(
        child=ScopeField(max_length=100), max_length=100, required=False, allow_null=True
    )

    class Meta:
        model = HashedToken
        fields: tuple[str, ...] = (
            *("id", "name", "prefix", "scopes"),
            *("created", "expires", "idle_seconds", "last_used"),
        )
        read_only_fields = ("prefix", "created", "last_used")
        extra_kwargs = {"idle_seconds": {"min_value": 60, "max_value": LONGEST_IDLE}}

    def validate_scopes(self, value: list[str] | None) -> list[str] | None:
        field: Any = HashedToken._meta.get_field("scope")
        if value is not None and len(" ".join(value)) > field.max_length:
            raise serializers.ValidationError("These are too many scopes.", "max_length")
        return value

    def validate_expires(self, value: datetime | None) -> datetime | None:
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("This moment has passed.")
        return value


# A token with its key, once.
class NewTokenSerializer(HashedTokenSerializer):
    key: Any = serializers.CharField(read_only=True)

    class Meta(HashedTokenSerializer.Meta):
        fields = (*HashedTokenSerializer.Meta.fields, "key")
