"""The suite of djangochannelsrestframework: its settings, and a plugin of pytest."""

import gc

import pytest

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "channels", "ecosystem_settings.namespace.Tests"]
# Consumers query the database from their own threads.
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": "file:channels?mode=memory&cache=shared",
    }
}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


@pytest.fixture(autouse=True)
def _no_observers_of_other_tests():
    """Classes of consumers send until they are collected, to the groups of later tests as well."""
    gc.collect()
