"""The suite of django-hashid-field."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "ecosystem_settings.namespace.Tests"]
HASHID_FIELD_SALT = "not secret: a test"
