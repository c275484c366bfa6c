"""Test cases whose ``self.client`` is an APIClient, and one with its own URL patterns."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from django.conf import settings
from django.test import override_settings, testcases

from lintel.test.clients import APIClient, AsyncAPIClient


class _WithClients:
    client_class: Any = APIClient
    async_client_class: Any = AsyncAPIClient


class APITransactionTestCase(_WithClients, testcases.TransactionTestCase):
    """TransactionTestCase with an APIClient."""


class APITestCase(_WithClients, testcases.TestCase):
    """TestCase with an APIClient."""


class APISimpleTestCase(_WithClients, testcases.SimpleTestCase):
    """SimpleTestCase with an APIClient."""


class APILiveServerTestCase(_WithClients, testcases.LiveServerTestCase):
    """LiveServerTestCase with an APIClient."""


def cleanup_url_patterns(cls: Any) -> None:
    if cls._lintel_urlpatterns is None:
        del cls._lintel_module.urlpatterns
    else:
        cls._lintel_module.urlpatterns = cls._lintel_urlpatterns


class URLPatternsTestCase(testcases.SimpleTestCase):
    """A test case whose attribute ``urlpatterns`` is the URL configuration while it runs."""

    urlpatterns: Any
    _lintel_module: ModuleType
    _lintel_urlpatterns: Any

    @classmethod
    def setUpClass(cls) -> None:
        if not hasattr(cls, "urlpatterns"):
            raise AttributeError(
                f"type object '{cls.__name__}' has no attribute 'urlpatterns': list the URL "
                "patterns of the test case there."
            )
        cls._lintel_module = sys.modules.get(cls.__module__) or import_module(cls.__module__)
        cls._lintel_urlpatterns = getattr(cls._lintel_module, "urlpatterns", None)
        override = override_settings(ROOT_URLCONF=cls.__module__)
        cls._lintel_module.urlpatterns = cls.urlpatterns  # type: ignore[attr-defined]
        cls.enterClassContext(override)
        cls.addClassCleanup(cleanup_url_patterns, cls)
        super().setUpClass()
        if cls.__module__ != settings.ROOT_URLCONF:
            raise RuntimeError(f"ROOT_URLCONF was changed before {cls.__name__} could set it.")
