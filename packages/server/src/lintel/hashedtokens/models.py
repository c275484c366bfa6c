"""Tokens of which the database holds only a digest, so that its readers cannot use them.

The digest is SHA-256 without salt and iterations. Those slow down guessing, but a key is
not a password that could be guessed: it is 192 random bits. A plain digest can be looked up in an
index, at the cost of one query per call of the API.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from django.conf import settings
from django.db import models
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
