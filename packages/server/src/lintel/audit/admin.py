"""The entries in the admin: to read, not to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from lintel.audit.models import AuditEntry


@admin.register(AuditEntry)
class AuditEntryAdmin(admin.ModelAdmin):
    list_display = ("time", "user", "token", "action", "model", "object_key")
    list_filter = ("action", "model")
    search_fields = ("user", "object_key", "request_id")
    date_hierarchy = "time"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
