"""The Django application that stores who changed what."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "lintel.audit"
    label = "lintel_audit"
    verbose_name = "Audit"
    default_auto_field = "django.db.models.BigAutoField"
