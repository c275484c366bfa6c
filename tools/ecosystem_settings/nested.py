"""The suite of drf-nested-routers: its models live in the test modules."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "rest_framework_nested", "ecosystem_settings.namespace.Tests"]
ROOT_URLCONF = "rest_framework_nested.runtests.urls"
