"""Tokens of which the database holds only a digest, so that its readers cannot use them.

The digest is SHA-256 without salt and iterations. Those slow down guessing, but a key is
not a password that could be guessed: it is 192 random bits. A plain digest can be looked up in an
index, at the cost of one query per call of the API.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from typing import Any, Self
from uuid import uuid4

from django.conf import settings
from django.db import models, router, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

#: The characters of a key that are stored to tell tokens apart: 32 of its 192 bits.
PREFIX_LENGTH = 8

#: For shorter keys, which come from elsewhere, none are stored.
SHORTEST_WITH_PREFIX = 40


def digest_of(key: str) -> str:
    """Return SHA-256 of a key, as 64 hexadecimal digits."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class HashedToken(models.Model):
    """A key that identifies a user, stored as its digest.

    ``key`` is the key itself on the object that created it, or that was found by it; on others it
    is None. It is never stored, neither in the database nor in a pickle.
    """

    digest: models.CharField[str, str] = models.CharField(
        max_length=64, unique=True, editable=False
    )
    prefix: models.CharField[str, str] = models.CharField(
        max_length=PREFIX_LENGTH, blank=True, editable=False
    )
    name: models.CharField[str, str] = models.CharField(
        max_length=100, blank=True, help_text="What uses it, such as the name of a device."
    )
    user: models.ForeignKey[Any, Any] = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        related_name="hashed_tokens",
        on_delete=models.CASCADE,
        verbose_name=_("User"),
    )
    created: models.DateTimeField = models.DateTimeField(
        _("Created"), default=timezone.now, editable=False
    )

    scope: models.CharField[Any, Any] = models.CharField(
        max_length=1000,
        null=True,
        blank=True,
        help_text="Names of scopes with spaces between them.",
    )
    expires: models.DateTimeField[Any, Any] = models.DateTimeField(null=True, blank=True)
    idle_seconds: models.PositiveIntegerField[Any, Any] = models.PositiveIntegerField(
        null=True, blank=True, help_text="It ends if it is not used for so many seconds."
    )
    last_used: models.DateTimeField[Any, Any] = models.DateTimeField(null=True, editable=False)
    revoked: models.DateTimeField[Any, Any] = models.DateTimeField(null=True, editable=False)
    replaced: models.DateTimeField[Any, Any] = models.DateTimeField(null=True, editable=False)
    #: What a token and its replacements have in common; None for one that was never replaced.
    family: models.UUIDField[Any, Any] = models.UUIDField(null=True, editable=False, db_index=True)

    _lintel_key: str | None = None

    class Meta:
        app_label = "hashedtokens"
        verbose_name = "hashed token"
        verbose_name_plural = "hashed tokens"

    @property
    def key(self) -> str | None:
        """Return the key, if known; setting it sets digest and prefix."""
        return self._lintel_key

    @key.setter
    def key(self, value: str) -> None:
        self._lintel_key = value
        self.digest = digest_of(value)
        self.prefix = value[:PREFIX_LENGTH] if len(value) >= SHORTEST_WITH_PREFIX else ""

    @property
    def scopes(self) -> tuple[str, ...] | None:
        """Return the names of the scopes; None if scopes do not limit this token."""
        return None if self.scope is None else tuple(self.scope.split())

    @scopes.setter
    def scopes(self, value: Iterable[str] | None) -> None:
        self.scope = None if value is None else " ".join(sorted(set(value)))

    def revoke(self) -> bool:
        """End this token now; False if it was revoked or replaced meanwhile, and nothing ends."""
        self.revoked = timezone.now()
        return bool(_live(self).update(revoked=self.revoked))

    def rotate(self) -> Self | None:
        """Return a token in place of this one, with a new key; None if it has ended meanwhile.

        If the old key is used again, somebody else has one of the two: both end, with all tokens
        that come from them.
        """
        now, cls = timezone.now(), type(self)
        alias = router.db_for_write(cls, instance=self)
        live = _live(self)
        with transaction.atomic(using=alias):
            # Of several requests at a time, one changes the row.
            if not live.update(replaced=now, family=self.family or uuid4()):
                return None
            self.refresh_from_db(using=alias, fields=["replaced", "family"])
            copied = ("user_id", "name", "scope", "expires", "idle_seconds", "family")
            return cls._default_manager.using(alias).create(
                **{name: getattr(self, name) for name in copied}
            )

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name or 'user ' + str(self.user_id)})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: user {self.__dict__.get('user_id')}>"

    def __getstate__(self) -> dict[str, object]:
        state: dict[str, object] = super().__getstate__()
        state.pop("_lintel_key", None)
        return state

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self.digest:
            self.key = self.generate_key()
        super().save(*args, **kwargs)

    @classmethod
    def generate_key(cls) -> str:
        """Return 192 random bits as 48 hexadecimal digits."""
        return secrets.token_hex(24)

    user_id: Any


def _live(token: models.Model) -> models.QuerySet[Any]:
    """The row of a token as long as nobody has revoked or replaced it, to change it at once."""
    cls = type(token)
    rows = cls._default_manager.using(router.db_for_write(cls, instance=token))
    return rows.filter(pk=token.pk, revoked=None, replaced=None)
