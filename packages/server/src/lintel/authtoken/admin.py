"""Tokens in Django's admin, identified by user: no URL there contains a key."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from lintel.annotations import Instance, Setting
from lintel.authtoken.models import Token, TokenProxy, is_installed

User: Any = get_user_model()


class TokenChangeList(ChangeList):
    def url_for_result(self, result: Instance) -> str:
        options = self.model._meta
        return reverse(
            f"admin:{options.app_label}_{options.model_name}_change",
            args=(quote(result.user_id),),
            current_app=self.model_admin.admin_site.name,
        )


#: The columns of the list, with the key in parts, unless a project sets its own.
_COLUMNS = ("key", "user", "created")


@admin.display(description=_("Key"))
def part_of_key(token: Token) -> str:
    """Return the beginning of the key: enough to tell tokens apart, too little to use one."""
    return f"{token.key[:4]}…" if len(token.key) >= 20 else "…"


#: What users log in with: a column of the user model, or a key of another one.
_USERNAME: Any = User._meta.get_field(str(User.USERNAME_FIELD))


def column_of_username() -> str:
    return f"user__{_USERNAME.name}" + ("__pk" if _USERNAME.is_relation else "")


class ShowsKeyOnce(admin.ModelAdmin):
    def save_model(self, request: HttpRequest, obj: Instance, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            self.message_user(request, f"{_('Key')}: {obj.key}", fail_silently=True)


class TokenAdmin(ShowsKeyOnce):
    """Shows a part of each key, unless a subclass has its own ``list_display`` with ``key``."""

    list_display: tuple[str, str, str] = _COLUMNS
    list_filter = ("created",)
    fields = ("user",)
    search_fields = (column_of_username(),)
    search_help_text = _("Username") if _USERNAME.name == "username" else _USERNAME.verbose_name
    ordering = (column_of_username(),)
    # Actions select rows by primary key, which is that of the user here.
    actions: Setting = None

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[ChangeList]:
        return TokenChangeList

    def get_list_display(self, request: HttpRequest) -> Any:
        columns: Any = super().get_list_display(request)
        return (part_of_key, *_COLUMNS[1:]) if columns is _COLUMNS else columns

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Token | None:
        field: Any = Token._meta.get_field("user")
        tokens = self.get_queryset(request).select_related("user")
        try:
            return tokens.get(user_id=field.to_python(object_id))
        except (Token.DoesNotExist, ValidationError, ValueError, OverflowError):
            return None


if is_installed():
    # Hashed tokens import this module in projects without other tokens.
    admin.site.register(TokenProxy, TokenAdmin)
