"""The settings of the authorization server."""

import os
from pathlib import Path

ALLOWED_HOSTS = ["*"]
SECRET_KEY = "only for tests"
ROOT_URLCONF = "authorization_server.urls"
USE_TZ = True
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": Path(os.environ["AUTHORIZATION_FOLDER"]) / "authorization.sqlite3",
        # Requests in parallel wait for their turn.
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "oauth2_provider",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "authorization_server.views.as_ada",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
OAUTH2_PROVIDER = {
    "SCOPES": {"read": "Reading", "write": "Writing"},
    "DEFAULT_SCOPES": ["read"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "OAUTH_DEVICE_VERIFICATION_URI": "http://127.0.0.1/o/device/",
    "DEVICE_FLOW_INTERVAL": 1,
}
