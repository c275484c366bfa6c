"""The settings of drf-flex-fields with URLs that current Django accepts."""

from tests.settings import *  # noqa: F403

ROOT_URLCONF = "ecosystem_settings.flex_urls"
