"""Verbose names."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("authtoken", "0001_initial")]

    operations = [
        migrations.AlterModelOptions(
            name="token",
            options={"verbose_name": "Token", "verbose_name_plural": "Tokens"},
        ),
        migrations.AlterField(
            model_name="token",
            name="key",
            field=models.CharField(
                max_length=40, primary_key=True, serialize=False, verbose_name="Key"
            ),
        ),
        migrations.AlterField(
            model_name="token",
            name="created",
            field=models.DateTimeField(auto_now_add=True, verbose_name="Created"),
        ),
        migrations.AlterField(
            model_name="token",
            name="user",
            field=models.OneToOneField(
                on_delete=models.deletion.CASCADE,
                related_name="auth_token",
                to=settings.AUTH_USER_MODEL,
                verbose_name="User",
            ),
        ),
    ]
