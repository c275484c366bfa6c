"""The suite of django-oauth-toolkit: its settings, and its fixtures as a plugin of pytest."""

import pytest

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "oauth2_provider"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]


@pytest.fixture
def oauth2_settings(request):
    """What the mark ``oauth2_settings`` says, for the length of a test."""
    from oauth2_provider.settings import oauth2_settings

    values = vars(oauth2_settings)
    before = dict(values)
    mark = request.node.get_closest_marker("oauth2_settings")
    values.update(mark.args[0] if mark else {})
    if request.instance is not None:
        request.instance.oauth2_settings = oauth2_settings
    yield oauth2_settings
    values.clear()
    values.update(before)
