"""Settings for several processes and hosts: PostgreSQL through PgBouncer, Redis, tasks, nginx.

`make production` starts all of it. Environment: ``SERVICE_POSTGRESQL`` and ``SERVICE_REDIS`` name
the folder of PgBouncer's socket and the address of Redis, ``SERVICE_POSTGRESQL_PORT`` and
``SERVICE_POSTGRESQL_USER`` the rest; ``SERVICE_STATIC`` and ``SERVICE_UPLOADS`` the folders of
files, of which the second has to be on a volume that all hosts share; ``SERVICE_THROTTLE_TIMEOUT``
the seconds that Redis may take to count a request.
"""

import os
from importlib.util import find_spec

from lintel.requestlog import json_logging
from service.settings import *

SECRET_KEY = os.environ["SERVICE_SECRET_KEY"]

INSTALLED_APPS = [
    *INSTALLED_APPS,
    *([] if find_spec("django.tasks") else ["django_tasks"]),
    "django_tasks_db",
    "receipts",
]
MIDDLEWARE = [
    "lintel.requestlog.RequestLogMiddleware",
    *MIDDLEWARE,
    "service.streams.UnbufferedStreams",
]
ROOT_URLCONF = "service.production_urls"
LOGGING = json_logging()

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "service",
        "USER": os.environ["SERVICE_POSTGRESQL_USER"],
        "HOST": os.environ["SERVICE_POSTGRESQL"],
        "PORT": os.environ["SERVICE_POSTGRESQL_PORT"],
        # A thread keeps its connection to PgBouncer, and asks before a request whether it lives.
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        # In transaction mode the next statement may run on another connection of PostgreSQL,
        # which knows nothing of a cursor that was opened on the first.
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": {"connect_timeout": 3},
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": os.environ["SERVICE_REDIS"],
        # A Redis that hangs costs a request two seconds, not forever.
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    }
}
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

STATIC_ROOT = os.environ["SERVICE_STATIC"]
MEDIA_ROOT = os.environ["SERVICE_UPLOADS"]

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

REST_FRAMEWORK = {
    **REST_FRAMEWORK,
    # nginx, which reaches the service through a socket in the file system.
    "TRUSTED_PROXIES": ["unix"],
    # 503 with Retry-After while PostgreSQL or Redis is away.
    "SERVICE_ERRORS": True,
    "THROTTLE_ON_FAILURE": "deny",
    "THROTTLE_TIMEOUT": float(os.environ.get("SERVICE_THROTTLE_TIMEOUT", "0.25")),
    # Who asks from this machine, or at the socket itself, sees which check failed.
    "HEALTH_OPERATORS": ["127.0.0.0/8", "unix"],
}
