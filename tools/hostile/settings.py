"""Settings of the project: ``FUZZED`` names the package, ``FUZZ_DATABASE`` a file of SQLite."""

import os

PACKAGE = os.environ.get("FUZZED", "lintel")
IS_OURS = PACKAGE == "lintel"

SECRET_KEY = "hostile input only"
DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1", "[::1]"]
ROOT_URLCONF = "hostile.urls"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    PACKAGE,
    f"{PACKAGE}.authtoken",
    *(["lintel.hashedtokens", "lintel.idempotency"] if IS_OURS else []),
    "hostile",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("FUZZ_DATABASE", "file:hostile?mode=memory&cache=shared"),
        "OPTIONS": {"timeout": 30},
    }
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.memory.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
LOGGING_CONFIG = None
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": f"{PACKAGE}.schemas.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": [
        f"{PACKAGE}.renderers.JSONRenderer",
        f"{PACKAGE}.renderers.BrowsableAPIRenderer",
    ],
    "PAGE_SIZE": 5,
}
