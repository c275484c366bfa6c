"""The settings of drf-extra-fields, which count on Django's defaults of old."""

from drf_extra_fields.runtests.settings import *  # noqa: F403

USE_TZ = False
