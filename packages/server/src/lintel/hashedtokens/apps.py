"""The Django application that stores digests of tokens, any number per user."""

from django.apps import AppConfig


class HashedTokensConfig(AppConfig):
    name = "lintel.hashedtokens"
    label = "hashedtokens"
    verbose_name = "Hashed tokens"
    default_auto_field = "django.db.models.BigAutoField"
