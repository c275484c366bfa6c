"""Tokens in Django's admin, found by user: no address there holds a key."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from lintel.authtoken.models import Token, TokenProxy

User = get_user_model()


class TokenChangeList(ChangeList):
    """Links each token by the primary key of its user."""

    def url_for_result(self, result: Any) -> str:
        options = self.model._meta
        return reverse(
            f"admin:{options.app_label}_{options.model_name}_change",
            args=(quote(result.user_id),),
            current_app=self.model_admin.admin_site.name,
        )


class TokenAdmin(admin.ModelAdmin):
    """The page of tokens; a key is made by saving, never typed."""

    list_display = ("key", "user", "created")
    list_filter = ("created",)
    fields = ("user",)
    search_fields = ("user__username",)
    search_help_text = _("Username")
    ordering = ("user__username",)
    # Actions select rows by primary key, which is that of the user here.
    actions = None

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return TokenChangeList

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Any:
        """The token of the user with this primary key, or None."""
        field: Any = Token._meta.get_field("user")
        try:
            user_id = field.to_python(object_id)
            return self.get_queryset(request).get(user_id=user_id)
        except (Token.DoesNotExist, ValidationError, ValueError, OverflowError):
            return None


admin.site.register(TokenProxy, TokenAdmin)
