"""The settings of djangorestframework-gis with SpatiaLite instead of PostGIS."""

import sys

import pysqlite3
from settings import *  # noqa: F403

# Many builds of Python cannot load extensions of SQLite.
sys.modules["sqlite3"] = pysqlite3

DATABASES = {"default": {"ENGINE": "django.contrib.gis.db.backends.spatialite", "NAME": ":memory:"}}
