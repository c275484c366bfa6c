"""The settings of drf-extra-fields, which rely on old defaults of Django."""

from drf_extra_fields.runtests.settings import *  # noqa: F403

USE_TZ = False
