"""The table of changes. It holds names of fields, but no values of them, and no credentials."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

#: Lengths of columns; texts that are longer are cut.
SHORT, LONG = 100, 255


class AuditEntry(models.Model):
    """One object that a request has changed, in texts, which outlive what they name."""

    time: models.DateTimeField = models.DateTimeField(default=timezone.now, db_index=True)
    #: The key of the user; "" for anonymous requests.
    user: models.CharField[str, str] = models.CharField(max_length=LONG, blank=True)
    #: The kind and the id of the credential, never the credential: ``HashedToken:7``.
    token: models.CharField[str, str] = models.CharField(max_length=LONG, blank=True)
    client: models.CharField[str, str] = models.CharField(max_length=LONG, blank=True)
    address: models.GenericIPAddressField[Any, Any] = models.GenericIPAddressField(null=True)
    request_id: models.CharField[str, str] = models.CharField(max_length=128, blank=True)
    #: ``create``, ``update``, ``delete``, or what code of the project names.
    action: models.CharField[str, str] = models.CharField(max_length=SHORT)
    #: ``app_label.ModelName``.
    model: models.CharField[str, str] = models.CharField(max_length=LONG)
    object_key: models.CharField[str, str] = models.CharField(max_length=LONG, blank=True)
    fields: models.JSONField[Any, Any] = models.JSONField(default=list)

    class Meta:
        app_label = "lintel_audit"
        verbose_name = "audit entry"
        verbose_name_plural = "audit entries"
        indexes = (
            models.Index(fields=["model", "object_key", "time"], name="lintel_audit_object"),
            models.Index(fields=["user", "time"], name="lintel_audit_user"),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.model} {self.object_key}"
