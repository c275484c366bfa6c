"""Hashed tokens in Django's admin: no page shows a key except the one after its creation."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lintel.annotations import Instance
from lintel.authtoken.admin import ShowsKeyOnce, column_of_username
from lintel.hashedtokens.lifetimes import has_expired, is_withdrawn
from lintel.hashedtokens.models import HashedToken


@admin.display(description=_("Key"), ordering="prefix")
def beginning(token: HashedToken) -> str:
    return f"{token.prefix}…"


@admin.display(description="Valid", boolean=True)
def is_live(token: HashedToken) -> bool:
    return not (is_withdrawn(token) or has_expired(token, timezone.now()))


@admin.action(description="Revoke selected tokens", permissions=["change"])
def revoke(model_admin: ShowsKeyOnce, request: HttpRequest, queryset: Any) -> None:
    count = queryset.filter(revoked=None).update(revoked=timezone.now())
    model_admin.message_user(request, f"Revoked {count} tokens.", fail_silently=True)


class HashedTokenAdmin(ShowsKeyOnce):
    list_display = (beginning, "user", "name", "created", "last_used", "expires", is_live)
    list_filter = ("created", "last_used", "expires")
    list_select_related = ("user",)
    fields = ("user", "name", "scope", "expires", "idle_seconds")
    actions = (revoke,)
    search_fields = ("prefix", "name", column_of_username())
    ordering = ("-created",)

    def get_readonly_fields(self, request: HttpRequest, obj: Instance = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else (*fields, "user")


if apps.is_installed("lintel.hashedtokens"):
    admin.site.register(HashedToken, HashedTokenAdmin)
