"""The table of changes."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("time", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("user", models.CharField(blank=True, max_length=255)),
                ("token", models.CharField(blank=True, max_length=255)),
                ("client", models.CharField(blank=True, max_length=255)),
                ("address", models.GenericIPAddressField(null=True)),
                ("request_id", models.CharField(blank=True, max_length=128)),
                ("action", models.CharField(max_length=100)),
                ("model", models.CharField(max_length=255)),
                ("object_key", models.CharField(blank=True, max_length=255)),
                ("fields", models.JSONField(default=list)),
            ],
            options={
                "verbose_name": "audit entry",
                "verbose_name_plural": "audit entries",
                "indexes": [
                    models.Index(
                        fields=["model", "object_key", "time"], name="lintel_audit_object"
                    ),
                    models.Index(fields=["user", "time"], name="lintel_audit_user"),
                ],
            },
        ),
    ]
