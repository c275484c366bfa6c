"""The Django application that stores one token for each user."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AuthTokenConfig(AppConfig):
    name = "lintel.authtoken"
    label = "authtoken"
    verbose_name = _("Auth Token")
