"""Settings are read late, imported once, and all documented."""

import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from django.core.checks import registry, run_checks
from django.db import connections
from django.test import override_settings
from django.urls import include, path

import lintel
from lintel import checks, security_checks
from lintel.decorators import api_view
from lintel.doctor.advice import finding_of_connections
from lintel.permissions import AllowAny, IsAdminUser, IsAuthenticated
from lintel.sessions import LoginAddressThrottle, LoginNameThrottle
from lintel.settings import DEFAULTS, APISettings, SettingDefault, api_settings, follows_setting
from lintel.throttling import (
    AnonRateThrottle,
    BaseThrottle,
    ScopedRateThrottle,
    UserRateThrottle,
)
from lintel.views import APIView

DOCS = Path(__file__).parents[3] / "docs" / "server" / "settings.md"


class View:
    size = SettingDefault("PAGE_SIZE")


class FixedView(View):
    size = 3


def test_a_class_attribute_follows_the_setting_until_it_is_assigned():
    view = View()
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 7}):
        assert (View.size, view.size, FixedView.size) == (7, 7, 3)
        view.size = 5
        assert view.size == 5
    assert View.size is None


def test_what_others_assign_outlives_a_change_of_the_settings(monkeypatch):
    assert View.size is None
    monkeypatch.setattr(View, "size", 9)
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 7}):
        assert View.size == 9
        monkeypatch.undo()
        with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 8}):
            assert View.size == 8
    assert View.size is None


def test_a_setting_that_is_patched_reaches_the_class_attributes(monkeypatch):
    generation = api_settings.generation
    with mock.patch("lintel.settings.api_settings.PAGE_SIZE", 7):
        assert (View.size, FixedView.size) == (7, 3)
        assert api_settings.generation > generation
    assert View.size is None
    monkeypatch.delattr(api_settings, "PAGE_SIZE")
    assert View.size is None


def test_a_class_knows_which_attributes_it_leaves_to_settings():
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 7}):
        assert follows_setting(View, "size")
        assert View.size == 7  # the value stands in the class from now on
        assert follows_setting(View, "size")
        assert not follows_setting(FixedView, "size")


def test_each_change_of_the_settings_counts():
    before = api_settings.generation
    with override_settings(REST_FRAMEWORK={}):
        assert api_settings.generation == before + 1


def test_dotted_names_are_imported_one_by_one():
    own = APISettings({"X": ["json.loads", len]}, {"X": []}, ["X"])
    assert [function.__name__ for function in own.X] == ["loads", "len"]


def test_an_import_that_fails_names_the_setting():
    own = APISettings({"X": "json.nothing"}, {"X": None}, ["X"])
    with pytest.raises(ImportError, match=r"Could not import 'json\.nothing' for API setting 'X'"):
        _ = own.X


def test_unknown_and_removed_names_are_refused():
    with pytest.raises(AttributeError, match="Invalid API setting: 'NOPE'"):
        _ = api_settings.NOPE
    with pytest.raises(RuntimeError, match="PAGINATE_BY"):
        APISettings({"PAGINATE_BY": 10})
    with override_settings(REST_FRAMEWORK={"PAGINATE_BY": 10, "PAGE_SIZE": 3}):
        assert api_settings.PAGE_SIZE == 3


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ({"PAGE_SIZE": 10}, ["rest_framework.W001"]),
        ({"PAGE_SIZE": 10, "DEFAULT_PAGINATION_CLASS": "lintel.parsers.JSONParser"}, []),
        (["PAGE_SIZE"], ["lintel.E001"]),
        ({"EXCEPTION_HANDLER": "nowhere.handler"}, ["lintel.E002"]),
        ({"DEFAULT_PARSER_CLASSES": "lintel.parsers.JSONParser"}, ["lintel.E003"]),
        ({"MAX_PAGINATE_BY": 10}, ["lintel.W015"]),
        ({"PAGE_SIZE": "10", "DEFAULT_PAGINATION_CLASS": "json.loads"}, ["lintel.E005"]),
        ({"COMPILE_SERIALIZERS": "sometimes"}, ["lintel.E006"]),
        ({"READ_FROM_ROWS": "off"}, ["lintel.E006"]),
        ({"COMPILE_SERIALIZERS": True, "READ_FROM_ROWS": False}, []),
        ({"COMPILE_SERIALIZERS": "always", "READ_FROM_ROWS": "never"}, []),
        ({"COMPILE_SERIALIZERS": "second use"}, []),
        ({"ERROR_FORMAT": "problems"}, ["lintel.E007"]),
        ({"STRICT_QUERY_PARAMS": "report", "EXTRA_INPUT": "report"}, []),
        ({"OBJECT_TITLES": "always"}, ["lintel.E016"]),
        ({"STRICT_QUERY_PARAMS": "log", "EXTRA_INPUT": "log"}, ["lintel.E014"] * 2),
        ({"OPENAPI_VERSION": "3.1"}, []),
        ({"OPENAPI_VERSION": "4"}, ["lintel.E008"]),
        ({"OPENAPI_VERSION": 3.1}, ["lintel.E008"]),
        ({"ERROR_FORMAT": ["problem"], "PROBLEM_TYPE_BASE": 5}, ["lintel.E007"] * 2),
        ({"ERROR_FORMAT": "both", "PROBLEM_TYPE_BASE": "/problems/"}, []),
        ({"DEFAULT_PERMISION_CLASSES": []}, ["lintel.W001"]),
        ({"SOMEBODY_ELSES_KEY": 1}, []),
    ],
)
def test_mistakes_are_found_by_system_checks(own, found):
    with override_settings(REST_FRAMEWORK=own):
        messages = [*checks.pagination_system_check(None), *checks.settings_check(None)]
    assert [message.id for message in messages] == found
    assert all(message.hint for message in messages)


def test_a_package_without_the_drop_in_is_told_to_enable_it(monkeypatch):
    own = {"DEFAULT_FILTER_BACKENDS": ["nobodys_framework.filters.Backend"]}
    with override_settings(REST_FRAMEWORK=own):
        (message,) = checks.settings_check(None)
        assert "dotted path" in message.hint
        monkeypatch.setattr(checks, "OTHER_NAME", "nobodys_framework")
        (message,) = checks.settings_check(None)
    assert message.id == "lintel.E002"
    assert "lintel.dropin.enable()" in message.hint


def test_the_other_package_beside_this_one_is_found(monkeypatch):
    monkeypatch.setitem(sys.modules, "rest_framework", ModuleType("rest_framework"))
    with override_settings(REST_FRAMEWORK={}):
        (message,) = checks.settings_check(None)
        assert message.id == "lintel.W003"
        assert "lintel.dropin.enable()" in message.hint
        monkeypatch.setitem(sys.modules, "rest_framework", lintel)
        assert checks.settings_check(None) == []


def test_unknown_words_of_the_environment_are_found(monkeypatch):
    monkeypatch.setitem(DEFAULTS, "READ_FROM_ROWS", "sometimes")
    with override_settings(REST_FRAMEWORK={}):
        (message,) = checks.settings_check(None)
    assert message.id == "lintel.E006"
    assert "LINTEL_READ_FROM_ROWS" in message.hint


@pytest.mark.django_db  # checks of models ask the database what it can do
def test_the_checks_run_with_the_project():
    with override_settings(REST_FRAMEWORK={"PAGE_SIZE": 10}):
        assert "rest_framework.W001" in [
            message.id for message in run_checks(databases=["default"])
        ]


class Limited(AnonRateThrottle):
    rate = "5/min"


class PerKey(Limited):
    def get_cache_key(self, request, view):
        return "a key that no header changes"


class ByAddress(Limited):
    def get_cache_key(self, request, view):
        return f"by {self.get_ident(request)}"


def limited_to(permission):
    return {"throttle_classes": [Limited], "permission_classes": [permission]}


def addresses(**attributes):
    return [path("limited/", include([path("", APIView.as_view(**attributes))]))]


@pytest.mark.parametrize(
    ("attributes", "proxies", "is_found"),
    [
        ({"throttle_classes": [Limited]}, None, True),
        ({"throttle_classes": [UserRateThrottle]}, None, True),
        ({"throttle_classes": [Limited]}, 0, False),
        ({"throttle_classes": [Limited]}, 2, False),
        ({"throttle_classes": [PerKey]}, None, False),
        ({"throttle_classes": [ByAddress]}, None, True),
        ({"throttle_classes": [LoginAddressThrottle]}, None, True),
        ({"throttle_classes": [LoginNameThrottle]}, None, False),
        ({"throttle_classes": [BaseThrottle]}, None, False),
        ({"throttle_classes": [ScopedRateThrottle]}, None, False),
        ({"throttle_classes": [Limited], "permission_classes": [IsAuthenticated]}, None, False),
        ({"throttle_classes": [Limited], "permission_classes": [AllowAny]}, None, True),
        (limited_to(IsAuthenticated & AllowAny), None, False),
        (limited_to(AllowAny & (IsAdminUser | IsAuthenticated)), None, False),
        (limited_to(IsAuthenticated | AllowAny), None, True),
        (limited_to(~IsAuthenticated), None, True),
        ({}, None, False),
    ],
)
def test_limits_that_a_header_lifts_are_found(attributes, proxies, is_found):
    urls = type("Urls", (), {"urlpatterns": addresses(**attributes)})
    own = {"NUM_PROXIES": proxies}
    with override_settings(REST_FRAMEWORK=own, ROOT_URLCONF=urls):
        found = security_checks.proxies_check(None)
    assert [message.id for message in found] == ["lintel.W004"] * is_found
    assert all("APIView" in message.msg and message.hint for message in found)


def test_limits_of_views_in_the_settings_are_found():
    class Scoped(APIView):
        throttle_scope = "uploads"

    patterns = [path("a/", Scoped.as_view()), path("b/", api_view()(lambda request: None))]
    urls = type("Urls", (), {"urlpatterns": patterns})
    throttles = ["lintel.throttling.AnonRateThrottle", "lintel.throttling.ScopedRateThrottle"]
    with override_settings(REST_FRAMEWORK={"DEFAULT_THROTTLE_CLASSES": throttles}):
        with override_settings(ROOT_URLCONF=urls):
            (message,) = security_checks.proxies_check(None)
        assert "Scoped (AnonRateThrottle), Scoped (ScopedRateThrottle)" in message.msg
        assert "<lambda> (AnonRateThrottle)" in message.msg
        with override_settings(ROOT_URLCONF=None):
            assert security_checks.proxies_check(None) == []
    assert security_checks.proxies_check in registry.registry.get_checks(
        include_deployment_checks=True
    )
    assert security_checks.proxies_check not in registry.registry.get_checks()


@pytest.mark.parametrize(
    ("entry", "is_found"),
    [
        ({}, True),
        ({"CONN_MAX_AGE": 0, "OPTIONS": {}}, True),
        ({"CONN_MAX_AGE": 60}, False),
        ({"CONN_MAX_AGE": None}, False),
        ({"OPTIONS": {"pool": True}}, False),
        ({"OPTIONS": {"pool": {"min_size": 2}}}, False),
        ({"ENGINE": "django.db.backends.sqlite3"}, False),
        ({"ENGINE": "django.contrib.gis.db.backends.postgis"}, True),
    ],
)
def test_connections_that_end_with_each_request_are_found(monkeypatch, entry, is_found):
    whole = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop", **entry}
    monkeypatch.setattr(connections, "settings", connections.configure_settings({"default": whole}))
    assert [each.id for each in checks.connections_check(None)] == ["lintel.W006"] * is_found
    found = finding_of_connections()
    assert (found is not None) == is_found
    assert found is None or "default" in found.text


def test_connections_are_checked_for_deployments_alone():
    assert checks.connections_check in registry.registry.get_checks(include_deployment_checks=True)
    assert checks.connections_check not in registry.registry.get_checks()


def test_every_setting_is_documented():
    text = DOCS.read_text()
    missing = [name for name in DEFAULTS if f"`{name}`" not in text]
    assert missing == []


def test_every_system_check_is_documented():
    text = DOCS.read_text()
    ids = [
        "rest_framework.W001",
        "lintel.W001",
        "lintel.W002",
        "lintel.W003",
        "lintel.W004",
        "lintel.W006",
        *(f"lintel.W0{n:02}" for n in range(7, 16)),
        *(f"lintel.E00{n}" for n in (1, 2, 3, 5, 6)),
    ]
    assert [name for name in ids if name not in text] == []


def test_names_of_a_subclass_are_its_own():
    class Settings(APISettings):
        def _tell_of(self):
            raise NotImplementedError

        def _check_user_settings(self):
            raise NotImplementedError

    own = Settings({"SIZE": 3}, {"SIZE": 1, "COLOUR": "red"}, ())
    own.COLOUR = "blue"
    assert (own.SIZE, own.COLOUR) == (3, "blue")
