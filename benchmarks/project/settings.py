"""Settings shared by all contenders; the framework's own app is added by the suite."""

import os

SECRET_KEY = "benchmark"
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "benchmarks.project",
]
MIDDLEWARE: list[str] = []
DATABASES: dict[str, dict[str, object]] = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
}
#: The folder of a PostgreSQL server's socket, and the user who owns it.
if "BENCHMARK_POSTGRESQL" in os.environ:
    folder, user = os.environ["BENCHMARK_POSTGRESQL"].split(",")
    DATABASES["default"] = {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ.get("BENCHMARK_DATABASE", f"benchmark_{os.getpid()}"),
        "USER": user,
        "HOST": folder,
        "CONN_MAX_AGE": None,
    }
#: Views on the event loop take their connections from a pool, as Django advises.
if "BENCHMARK_POOL" in os.environ:
    size = int(os.environ["BENCHMARK_POOL"])
    pool = {"min_size": size, "max_size": size}
    DATABASES["default"] |= {"CONN_MAX_AGE": 0, "OPTIONS": {"pool": pool}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
ROOT_URLCONF = os.environ.get("BENCHMARK_URLS", "benchmarks.project.urls")
REST_FRAMEWORK: dict[str, object] = {
    "DEFAULT_RENDERER_CLASSES": [],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}
