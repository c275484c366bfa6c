"""The suite of drf-tweaks."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [
    *PLAIN_APPS,
    "django_filters",
    "drf_tweaks",
    "ecosystem_settings.namespace.Tests",
]
MIDDLEWARE = ()
