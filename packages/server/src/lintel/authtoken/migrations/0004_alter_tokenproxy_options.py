"""Verbose names of the proxy model for the admin."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("authtoken", "0003_tokenproxy")]

    operations = [
        migrations.AlterModelOptions(
            name="tokenproxy",
            options={"verbose_name": "Token", "verbose_name_plural": "Tokens"},
        ),
    ]
