"""Entries and writes are one transaction, on PostgreSQL."""

from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError
from django.test import override_settings
from django.urls import path

from lintel.audit import AuditedMixin
from lintel.audit.changes import watching
from lintel.audit.models import AuditEntry
from lintel.response import Response
from lintel.test import APIClient
from lintel.views import APIView


class Elsewhere(AuditedMixin, APIView):
    audit_database = "postgresql"

    def post(self, request: Any) -> Response:
        groups = Group.objects.using("postgresql")
        groups.create(name=request.data["name"])
        groups.create(name=request.data["other"])
        return Response({})


def test_entries_are_rolled_back_with_the_write(postgresql: str, django_db_blocker: Any) -> None:
    stored = AuditEntry.objects.using(postgresql)
    groups = Group.objects.using(postgresql)
    urls = ModuleType("urls_of_a_test")
    urls.urlpatterns = [path("elsewhere/", Elsewhere.as_view())]  # type: ignore[attr-defined]
    with override_settings(ROOT_URLCONF=urls), django_db_blocker.unblock():
        client = APIClient()
        with pytest.raises(IntegrityError):
            client.post("/elsewhere/", {"name": "a", "other": "a"}, format="json")
        left = stored.count(), groups.count()
        once = client.post("/elsewhere/", {"name": "a", "other": "b"}, format="json")
        names = {entry.object_key for entry in stored}
        keys = {str(group.pk) for group in groups}
        stored.all().delete()
        groups.all().delete()
    watching.end()
    assert left == (0, 0)
    assert (once.status_code, len(names), names) == (200, 2, keys)
