"""The Django settings under which the reference is read from the modules."""

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    # For the reference of lintel.accounts.
    "allauth",
    "allauth.account",
    "allauth.headless",
    "allauth.mfa",
    "lintel",
    "lintel.authtoken",
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
MIDDLEWARE = ["allauth.account.middleware.AccountMiddleware"]
