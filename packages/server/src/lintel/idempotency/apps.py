"""The Django application that stores keys, each with the answer to its first request."""

from __future__ import annotations

from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    """Put ``"lintel.idempotency"`` into ``INSTALLED_APPS`` to get this configuration."""

    name = "lintel.idempotency"
    label = "lintel_idempotency"
    verbose_name = "Idempotency keys"
    default_auto_field = "django.db.models.BigAutoField"
