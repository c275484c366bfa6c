"""The suite of drf-jwt."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

SECRET_KEY = "not secret, but as long as a key of HS256 has to be"
INSTALLED_APPS = [*PLAIN_APPS, "rest_framework_jwt", "rest_framework_jwt.blacklist"]
ROOT_URLCONF = "ecosystem_settings.signed_urls"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework_jwt.authentication.JSONWebTokenAuthentication"
    ],
}
