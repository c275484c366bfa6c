"""The token of a user."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any, TypeVar

from django.conf import settings
from django.db import models, router
from django.utils.translation import gettext_lazy as _

#: Names by which a project installs this application. Without any of them the models are
#: abstract, so that importing this module creates no table.
APP_NAMES = ("lintel.authtoken", "rest_framework.authtoken")


def is_installed() -> bool:
    return any(
        installed == name or installed.startswith(f"{name}.")
        for installed in settings.INSTALLED_APPS
        for name in APP_NAMES
    )


TokenT = TypeVar("TokenT", bound=models.Model)


class Token(models.Model):
    """A key that identifies a user; each user has at most one."""

    key: models.CharField[str, str] = models.CharField(_("Key"), max_length=40, primary_key=True)
    user: models.OneToOneField[Any, Any] = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        related_name="auth_token",
        on_delete=models.CASCADE,
        verbose_name=_("User"),
    )
    created: models.DateTimeField = models.DateTimeField(_("Created"), auto_now_add=True)

    class Meta:
        app_label = "authtoken"
        abstract: bool = not is_installed()
        verbose_name = _("Token")
        verbose_name_plural = _("Tokens")

    def __str__(self) -> str:
        return self.key

    def __repr__(self) -> str:
        # Logs and error pages print it, and their readers must not get access.
        return f"<{type(self).__name__}: user {self.__dict__.get('user_id')}>"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, with a new key if there is none. Raises IntegrityError if the key is taken."""
        if not self.key:
            self.key = self.generate_key()
        if self._state.adding and not args and not kwargs.get("force_update"):
            kwargs["force_insert"] = True
        super().save(*args, **kwargs)

    @classmethod
    def generate_key(cls) -> str:
        """Return 160 random bits as 40 hexadecimal digits."""
        return secrets.token_hex(20)


class TokenProxyQuerySet(models.QuerySet["TokenProxy"]):
    """Finds and deletes tokens by their real primary key, not by the ``pk`` of the admin."""

    def delete(self) -> tuple[int, dict[str, int]]:
        deleted = _tokens_of(self).delete()
        self._result_cache = None
        return deleted

    # Otherwise managers would have it: one call would delete all tokens.
    delete.queryset_only = True  # type: ignore[attr-defined]

    def in_bulk(self, id_list: Any = None, *, field_name: str = "pk") -> dict[object, Any]:
        return super().in_bulk(id_list, field_name="key" if field_name == "pk" else field_name)

    def contains(self, obj: models.Model) -> bool:
        return super().contains(_same_row(obj))

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> list[Any]:
        created = list(objs)
        super().bulk_create([_same_row(token) for token in created], *args, **kwargs)
        return created

    def bulk_update(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> int:
        return super().bulk_update([_same_row(obj) for obj in objs], *args, **kwargs)


class TokenProxy(Token):
    """The token for the admin: known by its user, to keep keys out of pages and logs."""

    objects: Any = TokenProxyQuerySet.as_manager()

    class Meta:
        app_label = "authtoken"
        proxy: bool = is_installed()
        abstract: bool = not is_installed()
        verbose_name = _("Token")
        verbose_name_plural = _("Tokens")

    user_id: Any

    @property
    def pk(self) -> Any:
        return self.user_id

    def __str__(self) -> str:
        # Does not load the user: the text of a token costs no query.
        user = self._state.fields_cache.get("user")
        return f"user {self.user_id}" if user is None else str(user)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TokenProxy):
            other = _same_row(other)
        return models.Model.__eq__(_same_row(self), other)

    def __hash__(self) -> int:
        return hash(_same_row(self))

    def delete(
        self, using: str | None = None, keep_parents: bool = False
    ) -> tuple[int, dict[str, int]]:
        if self.key is None:
            raise ValueError(
                f"{self._meta.object_name} object can't be deleted because its key attribute is "
                "set to None."
            )
        using = using or router.db_for_write(type(self), instance=self)
        return _same_row(self).delete(using=using, keep_parents=keep_parents)

    def refresh_from_db(self, *args: Any, **kwargs: Any) -> None:
        _same_row(self).refresh_from_db(*args, **kwargs)

    def get_next_by_created(self, **kwargs: Any) -> TokenProxy:
        return _as(TokenProxy, _same_row(self).get_next_by_created(**kwargs))

    def get_previous_by_created(self, **kwargs: Any) -> TokenProxy:
        return _as(TokenProxy, _same_row(self).get_previous_by_created(**kwargs))


def _same_row(token: object) -> Any:
    """Return the same token as a ``Token``, whose ``pk`` is the key; both share their state."""
    return _as(Token, token) if isinstance(token, TokenProxy) else token


def _as(cls: type[TokenT], token: object) -> TokenT:
    result = cls.__new__(cls)
    result.__dict__ = token.__dict__
    return result


def _tokens_of(tokens: Any) -> models.QuerySet[Token]:
    query = tokens.query.chain()
    query.model = Token
    using = tokens._db or router.db_for_write(tokens.model, **tokens._hints)
    result: Any = models.QuerySet(Token, query, using=using, hints=tokens._hints)
    result._fields = tokens._fields
    return result
