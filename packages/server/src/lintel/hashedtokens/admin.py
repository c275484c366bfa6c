"""Hashed tokens in Django's admin: no page shows a key except the one after its creation."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from lintel.annotations import Instance
from lintel.authtoken.admin import ShowsKeyOnce, column_of_username
from lintel.hashedtokens.models import HashedToken


@admin.display(description=_("Key"), ordering="prefix")
def beginning(token: HashedToken) -> str:
    return f"{token.prefix}…"


class HashedTokenAdmin(ShowsKeyOnce):
    list_display = (beginning, "user", "name", "created")
    list_filter = ("created",)
    list_select_related = ("user",)
    fields = ("user", "name")
    search_fields = ("prefix", "name", column_of_username())
    ordering = ("-created",)

    def get_readonly_fields(self, request: HttpRequest, obj: Instance = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if obj is None else (*fields, "user")


if apps.is_installed("lintel.hashedtokens"):
    admin.site.register(HashedToken, HashedTokenAdmin)
