"""Addresses on documentation pages."""

import sys

import pytest
from django.urls import get_resolver, include, path

from lintel.renderers.documentation_page import login_address

urlpatterns = [
    path("auth/", include([path("api/", include("lintel.urls", namespace="rest_framework"))])),
]


class Circular:
    """URL patterns that include themselves, and no login page."""

    __name__ = "circular_urls"
    urlpatterns: list = []


Circular.urlpatterns.append(path("again/", include(Circular)))


@pytest.mark.urls(__name__)
def test_the_login_page_is_found_at_any_depth():
    assert login_address() == "/auth/api/login/"


def test_without_one_no_pattern_is_compiled(monkeypatch, settings):
    monkeypatch.setitem(sys.modules, Circular.__name__, Circular)
    settings.ROOT_URLCONF = Circular.__name__
    assert login_address() == ""
    assert not get_resolver()._populated
