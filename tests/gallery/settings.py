"""Settings of the gallery: one page of each kind, in the language that the browser requests.

Environment: ``GALLERY_DATABASE`` names the database file, ``GALLERY_SWITCHES`` settings to turn on.
"""

import os

SECRET_KEY = "gallery-on-loopback-only"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_filters",
    "lintel",
    "shelf",
]
MIDDLEWARE = [
    "lintel.requestlog.RequestLogMiddleware",
    "policy.strict",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "loggers": {"lintel.requests": {"level": "INFO"}},
}
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
            ],
        },
    },
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["GALLERY_DATABASE"],
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "/static/"
USE_TZ = True
# One login; a proper password hash would take most of the time of a run.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["lintel.authentication.SessionAuthentication"],
    "API_TITLE": "Shelf",
}
for name in os.environ.get("GALLERY_SWITCHES", "").split():
    globals()[name] = True
