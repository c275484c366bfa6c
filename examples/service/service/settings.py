"""Settings of the example service: SQLite, token, session and basic authentication.

Environment: ``SERVICE_DATABASE`` names the database file (uploads are stored beside it),
``SERVICE_SECRET_KEY`` the signing key, ``SERVICE_HOSTS`` further host names, separated by commas.
"""

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

# Sufficient for a demonstration on loopback; deployments set their own.
SECRET_KEY = os.environ.get("SERVICE_SECRET_KEY", "example-service-on-loopback-only")
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]
ALLOWED_HOSTS += filter(None, os.environ.get("SERVICE_HOSTS", "").split(","))

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "lintel",
    "lintel.authtoken",
    "lintel.idempotency",
    "snippets",
    "rides",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

ROOT_URLCONF = "service.urls"
WSGI_APPLICATION = "service.wsgi.application"
ASGI_APPLICATION = "service.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASE = Path(os.environ.get("SERVICE_DATABASE", BASE_DIR / "service.sqlite3"))
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATABASE,
        # Writers wait for each other instead of failing; readers never wait.
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
MEDIA_ROOT = DATABASE.with_suffix(".uploads")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "lintel.authentication.TokenAuthentication",
        "lintel.authentication.SessionAuthentication",
        "lintel.authentication.BasicAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["lintel.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_PAGINATION_CLASS": "snippets.pagination.ServicePages",
    "OPENAPI_VERSION": "3.1",
    # Clients that name application/problem+json in Accept get problem details (RFC 9457).
    "ERROR_FORMAT": "both",
    # Limited endpoints say how many requests remain.
    "RATE_LIMIT_HEADERS": "draft",
    # Operations keep the names of the methods: retrieve and destroy, not read and delete.
    "SCHEMA_COERCE_METHOD_NAMES": {},
    # The title of pages.
    "API_TITLE": "lintel example service",
}
