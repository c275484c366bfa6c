"""The settings of drf-extensions without its test runner, which is no longer maintained."""

from settings import *  # noqa: F403
from settings import INSTALLED_APPS as ALL_APPS

INSTALLED_APPS = [app for app in ALL_APPS if app != "django_nose"]
