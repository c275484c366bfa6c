"""The suite of drf-nested-routers: its models live in the test modules."""

from pathlib import Path

from django.apps import AppConfig

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS


class TestsConfig(AppConfig):
    """``tests`` has no ``__init__`` and lies in two places, so Django cannot find its path."""

    name = "tests"
    path = str(Path(__file__).parent)


INSTALLED_APPS = [*PLAIN_APPS, "rest_framework_nested", "ecosystem_settings.nested.TestsConfig"]
ROOT_URLCONF = "rest_framework_nested.runtests.urls"
