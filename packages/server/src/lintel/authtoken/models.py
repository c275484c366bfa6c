"""The token of a user."""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

#: Names by which a project installs this application. Without any of them the models are
#: abstract, so that importing this module makes no table.
APP_NAMES = ("lintel.authtoken", "rest_framework.authtoken")


def is_installed() -> bool:
    """Whether the project has installed this application."""
    return any(
        installed == name or installed.startswith(f"{name}.")
        for installed in settings.INSTALLED_APPS
        for name in APP_NAMES
    )


class Token(models.Model):
    """A key that stands for a user; each user has at most one."""

    key: models.CharField[str, str] = models.CharField(_("Key"), max_length=40, primary_key=True)
    user: models.OneToOneField[Any, Any] = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        related_name="auth_token",
        on_delete=models.CASCADE,
        verbose_name=_("User"),
    )
    created: models.DateTimeField[Any, Any] = models.DateTimeField(_("Created"), auto_now_add=True)

    class Meta:
        app_label = "authtoken"
        abstract = not is_installed()
        verbose_name = _("Token")
        verbose_name_plural = _("Tokens")

    def __str__(self) -> str:
        return self.key

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, with a new key where there is none.

        Raises IntegrityError when a new token has the key of another: keys are never taken over.
        """
        if not self.key:
            self.key = self.generate_key()
        if self._state.adding and not args and not kwargs.get("force_update"):
            kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    @classmethod
    def generate_key(cls) -> str:
        """160 random bits as 40 hexadecimal digits."""
        return secrets.token_hex(20)


class TokenProxyQuerySet(models.QuerySet):
    """Deletes tokens by their real primary key."""

    def delete(self) -> tuple[int, dict[str, int]]:
        keys = list(self.values_list("key", flat=True))
        return Token.objects.filter(key__in=keys).delete()


class TokenProxy(Token):
    """The token for the admin: its ``pk`` is that of the user, to keep keys out of addresses."""

    objects = TokenProxyQuerySet.as_manager()

    class Meta:
        app_label = "authtoken"
        proxy = is_installed()
        abstract = not is_installed()
        verbose_name = _("Token")
        verbose_name_plural = _("Tokens")

    user_id: Any

    @property
    def pk(self) -> Any:
        return self.user_id

    def delete(self, using: Any = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        token = Token.objects.using(using or self._state.db).filter(key=self.key)
        return token.delete()
