"""The test suites of third-party packages that ``ecosystem.py`` runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

#: Parts that source distributions lack, rewritten: settings, and modules their tests import.
SETTINGS = Path(__file__).parent / "ecosystem_settings"

#: For ``tests`` without ``__init__``, which lies in the source and in a folder of ours.
TWO_PLACES = ("--import-mode=importlib", "-o", "consider_namespace_packages=true")


@dataclass(frozen=True, slots=True)
class Suite:
    """A package and how its tests are run from the root of its source distribution.

    ``version`` is for a package that is run from its source without being installed; for all
    others the pins define it. A suite is skipped if one of the shared ``libraries`` is missing.
    """

    name: str
    tests: tuple[str, ...] = ("tests",)
    settings: str = ""
    entries: tuple[str, ...] = (".",)
    arguments: tuple[str, ...] = ()
    environ: tuple[tuple[str, str], ...] = ()
    version: str = ""
    libraries: tuple[str, ...] = ()


def with_helpers(folder: str) -> tuple[str, ...]:
    """The entries of the path for a suite whose ``tests`` is completed by ours."""
    return (".", str(SETTINGS / folder))


SUITES = (
    Suite("drf-spectacular", arguments=("--allow-skip-extra-system-req",)),
    Suite("django-filter", settings="tests.settings"),
    Suite("djangorestframework-simplejwt"),
    Suite("djangorestframework-jsonapi", ("tests", "example"), "example.settings.test"),
    Suite(
        "drf-extensions",
        ("tests_app/tests",),
        "ecosystem_settings.extensions",
        (".", "tests_app"),
        ("-o", "python_files=test*.py"),
    ),
    Suite(
        "drf-nested-routers",
        settings="ecosystem_settings.nested",
        entries=with_helpers("nested_helpers"),
        arguments=TWO_PLACES,
    ),
    Suite(
        "dj-rest-auth",
        ("dj_rest_auth/tests",),
        "dj_rest_auth.tests.settings",
        (".", "dj_rest_auth"),
    ),
    Suite("django-rest-knox", settings="ecosystem_settings.tokens"),
    Suite("drf-standardized-errors", settings="tests.settings"),
    Suite(
        "drf-yasg",
        settings="testproj.settings.local",
        entries=("src", "testproj", "tests"),
        environ=(("DJANGO_SECRET_KEY", "not secret: a test"),),
    ),
    Suite("djangorestframework-api-key"),
    Suite("djangorestframework-guardian", settings="tests.settings", entries=(".", "src")),
    Suite(
        "djangorestframework-csv",
        ("rest_framework_csv/tests.py",),
        "ecosystem_settings.plain",
    ),
    Suite("drf-excel", settings="tests.settings"),
    Suite("drf-flex-fields", settings="ecosystem_settings.flex"),
    Suite(
        "djangorestframework-dataclasses",
        settings="ecosystem_settings.plain",
        # Its syntax is that of Python 3.12.
        arguments=("--ignore=tests/test_py312.py",) if sys.version_info < (3, 12) else (),
    ),
    # Only the interfaces of the CMS; the rest of it is unrelated.
    Suite("wagtail", ("wagtail/api", "wagtail/admin/tests/api"), "wagtail.test.settings"),
    Suite(
        "django-oauth-toolkit",
        ("tests/test_rest_framework.py",),
        "ecosystem_settings.oauth",
        with_helpers("oauth_helpers"),
        (*TWO_PLACES, "-p", "ecosystem_settings.oauth"),
    ),
    Suite(
        "djangorestframework-gis",
        settings="ecosystem_settings.gis",
        entries=("tests",),
        # Migrations alter tables, which SpatiaLite does not support.
        arguments=("-o", "python_files=test*.py", "--nomigrations"),
        libraries=("mod_spatialite.so",),
    ),
    Suite("graphene-django", ("graphene_django/rest_framework",), "ecosystem_settings.graphs"),
    Suite("django-countries", ("django_countries/tests",), "django_countries.tests.settings"),
    Suite("django-phonenumber-field", settings="tests.settings"),
    Suite("drf-extra-fields", settings="ecosystem_settings.extra"),
    Suite("drf-jwt", settings="ecosystem_settings.signed", entries=(".", "src")),
    Suite(
        "djangochannelsrestframework",
        settings="ecosystem_settings.sockets",
        entries=with_helpers("sockets_helpers"),
        arguments=(*TWO_PLACES, "-p", "ecosystem_settings.sockets"),
    ),
    Suite(
        "dynamic-rest",
        settings="tests.settings",
        arguments=("--ignore=tests/integration",),
        version="2.3.0",
    ),
    Suite(
        "drf-tweaks",
        settings="ecosystem_settings.tweaks",
        entries=with_helpers("tweaks_helpers"),
        arguments=TWO_PLACES,
    ),
    Suite("django-push-notifications", ("tests/test_rest_framework.py",), "tests.settings"),
    Suite(
        "django-hashid-field",
        settings="ecosystem_settings.hashid",
        entries=with_helpers("hashid_helpers"),
        arguments=TWO_PLACES,
    ),
    Suite(
        "rest-framework-generic-relations",
        ("generic_relations/tests",),
        "ecosystem_settings.generic",
    ),
    Suite("drf-orjson-renderer", settings="ecosystem_settings.plain"),
)
