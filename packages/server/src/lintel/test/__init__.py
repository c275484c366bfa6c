"""Tools for the tests of a project: requests, clients and test cases for the API's formats.

``RequestsClient``, ``CoreAPIClient`` and related names need an extra library; they are
imported on first access.
"""

from importlib import import_module
from typing import Any

import django.test
from django.test import override_settings as override_settings
from django.test import testcases as testcases

from lintel.patches import carry_on_patches
from lintel.settings import api_settings as api_settings
from lintel.test.cases import APILiveServerTestCase as APILiveServerTestCase
from lintel.test.cases import APISimpleTestCase as APISimpleTestCase
from lintel.test.cases import APITestCase as APITestCase
from lintel.test.cases import APITransactionTestCase as APITransactionTestCase
from lintel.test.cases import URLPatternsTestCase as URLPatternsTestCase
from lintel.test.cases import cleanup_url_patterns as cleanup_url_patterns
from lintel.test.clients import APIClient as APIClient
from lintel.test.clients import AsyncAPIClient as AsyncAPIClient
from lintel.test.clients import AsyncForceAuthClientHandler as AsyncForceAuthClientHandler
from lintel.test.clients import ForceAuthClientHandler as ForceAuthClientHandler
from lintel.test.factories import APIRequestFactory as APIRequestFactory
from lintel.test.factories import AsyncAPIRequestFactory as AsyncAPIRequestFactory
from lintel.test.factories import force_authenticate as force_authenticate

#: The names under which other packages import these.
DjangoClient = django.test.Client
DjangoRequestFactory = django.test.RequestFactory

#: Names that need a library: the module of each, and what to install.
_OPTIONAL = {
    "CoreAPIClient": ("lintel.test.documents", "lintel-client and django-lintel[test]"),
    "DjangoTestAdapter": ("lintel.test.requests", "django-lintel[test]"),
    "HeaderDict": ("lintel.test.requests", "django-lintel[test]"),
    "MockOriginalResponse": ("lintel.test.requests", "django-lintel[test]"),
    "RequestsClient": ("lintel.test.requests", "django-lintel[test]"),
}


def __getattr__(name: str) -> Any:
    if name not in _OPTIONAL:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module, install = _OPTIONAL[name]
    try:
        value = getattr(import_module(module), name)
    except ImportError as error:
        raise ImportError(f"{name} needs more than the server: install {install}.") from error
    globals()[name] = value
    return value


carry_on_patches(__name__)
