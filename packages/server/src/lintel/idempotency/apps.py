"""The Django application that stores keys, each with the answer to its first request."""

from django.apps import AppConfig


class IdempotencyConfig(AppConfig):
    name = "lintel.idempotency"
    label = "lintel_idempotency"
    verbose_name = "Idempotency keys"
    default_auto_field = "django.db.models.BigAutoField"
