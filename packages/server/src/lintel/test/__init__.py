"""Tools for the tests of a project: requests, clients and test cases for the API's formats.

``RequestsClient``, ``CoreAPIClient`` and related names need an extra library; they are
imported on first access.
"""

import io
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client as DjangoClient
from django.test import override_settings, testcases
from django.test.client import ClientHandler
from django.test.client import RequestFactory as DjangoRequestFactory
from django.utils.encoding import force_bytes

from lintel.settings import api_settings
from lintel.test.cases import (
    APILiveServerTestCase,
    APISimpleTestCase,
    APITestCase,
    APITransactionTestCase,
    URLPatternsTestCase,
    cleanup_url_patterns,
)
from lintel.test.clients import (
    APIClient,
    AsyncAPIClient,
    AsyncForceAuthClientHandler,
    ForceAuthClientHandler,
)
from lintel.test.factories import APIRequestFactory, AsyncAPIRequestFactory, force_authenticate

__all__ = [
    "APIClient",
    "APILiveServerTestCase",
    "APIRequestFactory",
    "APISimpleTestCase",
    "APITestCase",
    "APITransactionTestCase",
    "AsyncAPIClient",
    "AsyncAPIRequestFactory",
    "AsyncForceAuthClientHandler",
    "ForceAuthClientHandler",
    "URLPatternsTestCase",
    "api_settings",
    "cleanup_url_patterns",
    "force_authenticate",
    # names that other packages import from here
    "ClientHandler",
    "DjangoClient",
    "DjangoRequestFactory",
    "ImproperlyConfigured",
    "WSGIHandler",
    "close_old_connections",
    "contextmanager",
    "force_bytes",
    "io",
    "override_settings",
    "request_finished",
    "request_started",
    "settings",
    "testcases",
    "urlencode",
]

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
