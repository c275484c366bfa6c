"""``python -m lintel doctor``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lintel import doctor

SETTINGS = """
SECRET_KEY = "x" * 60
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "shop.urls"
REST_FRAMEWORK = {"DEFAULT_PAGINATION_CLASS": None}
"""

URLS = """
from rest_framework import routers, serializers
from rest_framework.viewsets import ModelViewSet

urlpatterns = []
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in {"__init__": "", "settings": SETTINGS, "urls": URLS}.items():
        path = tmp_path / "shop" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def consult(folder: Path) -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "lintel", "doctor", "--settings", "shop.settings"],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def test_a_sound_project_may_move(shop: Path) -> None:
    status, report = consult(shop)
    assert status == 0, report
    assert "[ok] Django starts with lintel in place of djangorestframework" in report
    assert "[??] still to do: " in report
    assert "from lintel import dropin; dropin.enable()" in report
    assert "[ok] this project imports 3 names of rest_framework: lintel has all of them" in report
    assert "[??] drf-nested-routers" in report
    assert "     rest_framework.compat.patterns" in report
    assert re.search(r"\[ok\] djangorestframework_simplejwt .* lintel has all of them", report)
    assert "No obstacles found." in report


def test_answers_that_changed_are_listed_with_the_setting_that_keeps_them(shop: Path) -> None:
    (shop / "requirements.txt").write_text("djangorestframework==3.16.1\n")
    status, report = consult(shop)
    assert status == 0, report
    assert "[??] the project ran on djangorestframework 3.16.1 (requirements.txt); " in report
    assert "     list-errors (3.18): errors of a list are a list" in report
    assert '     to keep them: REST_FRAMEWORK = {"COMPATIBLE_WITH": "3.16"}' in report
    settings = shop / "shop" / "settings.py"
    settings.write_text(SETTINGS.replace("None}", 'None, "COMPATIBLE_WITH": "3.16"}'))
    status, report = consult(shop)
    assert "[ok] answers are those of djangorestframework 3.16.1 (requirements.txt)" in report


def test_what_is_missing_is_named(shop: Path) -> None:
    (shop / "shop" / "extra.py").write_text("from rest_framework.compat import coreapy\n")
    settings = shop / "shop" / "settings.py"
    settings.write_text(
        f"from lintel import dropin\n\ndropin.enable()\n{SETTINGS}"
        'REST_FRAMEWORK = {"PAGE_SIZ": 3, "OPENAPI_VERSION": "2"}\n'
    )
    status, report = consult(shop)
    assert status == 1
    assert "[ok] the settings call dropin.enable()" in report
    assert "[!!] this project imports 4 names of rest_framework: lintel lacks 1" in report
    assert "     rest_framework.compat.coreapy" in report
    assert "[??] lintel.W001: " in report
    assert "[!!] lintel.E008: " in report
    assert "No obstacles found." not in report


def test_a_project_that_does_not_start_says_why(shop: Path) -> None:
    settings = shop / "shop" / "settings.py"
    settings.write_text(SETTINGS.replace('"rest_framework"]', '"rest_framework", "shoop"]'))
    status, report = consult(shop)
    assert status == 1
    assert "[!!] Django does not start: ModuleNotFoundError: No module named 'shoop'" in report
    assert "Traceback" not in report


def test_imports_are_read_and_those_with_a_fallback_left_out() -> None:
    source = """
import rest_framework.views, os
from rest_framework import *
from rest_framework.fields import CharField as Text

def late():
    from rest_framework.compat import coreapi

try:
    from rest_framework.nothing import gone
except ImportError:
    gone = None

from . import rest_framework
from rest_framework_nested import routers
"""
    assert doctor.imported_names(source) == {
        "rest_framework.views",
        "rest_framework",
        "rest_framework.fields.CharField",
        "rest_framework.compat.coreapi",
    }


def test_settings_have_to_be_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE")
    with pytest.raises(SystemExit):
        doctor.main([])
    assert "use --settings project.settings" in capsys.readouterr().err
