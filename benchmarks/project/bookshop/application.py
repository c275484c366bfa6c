"""``application``: the service in a framework on Django, for a WSGI or ASGI server.

The environment names what makes the application (BENCHMARK_ENTRY), the app of the framework
(BENCHMARK_FRAMEWORK) and the module of the addresses (BENCHMARK_URLS).
"""

import os

from django.utils.module_loading import import_string

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"

if "BENCHMARK_DROPIN" in os.environ:
    from lintel import dropin

    dropin.enable()

from django.conf import settings

settings.TIME_ZONE = "UTC"  # what a new Django project has
framework = os.environ.get("BENCHMARK_FRAMEWORK")
if framework in ("lintel", "rest_framework"):
    settings.INSTALLED_APPS += [framework, "django_filters"]
    renderer = f"{framework}.renderers.JSONRenderer"
    settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"] = [renderer]

application = import_string(os.environ["BENCHMARK_ENTRY"])()
