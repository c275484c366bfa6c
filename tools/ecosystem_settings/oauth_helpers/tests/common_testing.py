"""The case that the suite of django-oauth-toolkit builds on."""

from django.test import TestCase


class OAuth2ProviderTestCase(TestCase):
    pass
