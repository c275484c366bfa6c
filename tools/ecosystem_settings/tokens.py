"""The suite of django-rest-knox."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "knox"]
ROOT_URLCONF = "ecosystem_settings.tokens_urls"
