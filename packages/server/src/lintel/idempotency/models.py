"""The table of keys. It holds digests of keys, owners and bodies, and answers as they were sent."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone


class IdempotencyKey(models.Model):
    """A key with the response to its first request, both written in one transaction."""

    digest: models.CharField[str, str] = models.CharField(max_length=64)
    fingerprint: models.CharField[str, str] = models.CharField(max_length=64)
    status: models.PositiveSmallIntegerField[Any, Any] = models.PositiveSmallIntegerField(null=True)
    headers: models.JSONField[Any, Any] = models.JSONField(default=list)
    body: models.BinaryField[Any, Any] = models.BinaryField(null=True)
    created: models.DateTimeField = models.DateTimeField(default=timezone.now)
    expires: models.DateTimeField[Any, Any] = models.DateTimeField(db_index=True)

    class Meta:
        app_label = "lintel_idempotency"
        verbose_name = "idempotency key"
        verbose_name_plural = "idempotency keys"
        # A unique field would get a second index on PostgreSQL, for LIKE.
        constraints = (
            models.UniqueConstraint(fields=["digest"], name="lintel_idempotency_digest"),
        )

    def __str__(self) -> str:
        return f"{self.digest[:8]}… ({self.status})"
