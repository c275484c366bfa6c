"""``benchmarks.served:application``: one contender for a real server, with its tables filled.

The environment names the framework (BENCHMARK_FRAMEWORK) and the file of its database
(BENCHMARK_DATABASE), since every thread of a server has a connection of its own.
"""

import os

from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

ROWS = 100
PACKAGES = ("lintel", "rest_framework")

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
framework = os.environ["BENCHMARK_FRAMEWORK"]
if framework in PACKAGES:
    settings.INSTALLED_APPS += [framework, f"{framework}.authtoken"]
    renderer = f"{framework}.renderers.JSONRenderer"
    settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] = [renderer]
settings.TIME_ZONE = "UTC"  # what a new Django project has
settings.DATABASES["default"] |= {
    "NAME": os.environ["BENCHMARK_DATABASE"],
    # As in production: no new connection per request, and commits do not wait for the disk.
    "CONN_MAX_AGE": None,
    "OPTIONS": {"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"},
}
application = get_wsgi_application()

from benchmarks.project.models import load  # noqa: E402 - models need the set-up project

call_command("migrate", run_syncdb=True, verbosity=0)
load(ROWS)
