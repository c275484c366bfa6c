"""Tests and packages can replace names where the known API looks them up."""

import re
import sys
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from contract_project.models import Tag
from django.test import RequestFactory

import lintel.relations
import lintel.renderers
import lintel.schemas
import lintel.throttling
from lintel import pagination, serializers

factory = RequestFactory()


def test_settings_of_relations_may_be_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    own = SimpleNamespace(HTML_SELECT_CUTOFF=2, HTML_SELECT_CUTOFF_TEXT="{count} own")
    rows = Tag.objects.all()
    with mock.patch("lintel.relations.api_settings", own):
        field = serializers.PrimaryKeyRelatedField(queryset=rows)
        many = serializers.PrimaryKeyRelatedField(many=True, queryset=rows)
    assert (field.html_cutoff, many.html_cutoff_text) == (2, "{count} own")
    assert serializers.PrimaryKeyRelatedField(queryset=rows).html_cutoff == 1000


def test_reverse_of_relations_may_be_exchanged() -> None:
    with mock.patch("lintel.relations.reverse", return_value="/own/"):
        fields = {"url": serializers.HyperlinkedIdentityField(view_name="any")}
        serializer_class = type("Own", (serializers.Serializer,), fields)
        made = serializer_class(Tag(pk=1), context={"request": factory.get("/")})
        assert made.data == {"url": "/own/"}


def test_a_name_is_exchanged_where_the_same_object_stands() -> None:
    original = lintel.relations.reverse
    with mock.patch("lintel.relations.reverse", None):
        assert lintel.relations.hyperlinks.reverse is None
        assert sys.modules["lintel.reverse"].reverse is original
    assert lintel.relations.hyperlinks.reverse is original


@pytest.mark.parametrize(
    "package",
    ["relations", "fields", "serializers", "renderers", "pagination", "schemas", "throttling"],
)
def test_every_package_carries_exchanges_on(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = sys.modules[f"lintel.{package}"]
    shared = {
        name
        for path, part in sys.modules.items()
        if re.fullmatch(rf"lintel\.{package}\.\w+", path)
        for name, found in vars(part).items()
        if not name.startswith("__") and vars(module).get(name) is found and callable(found)
    }
    assert shared
    name = sorted(shared)[0]
    monkeypatch.setattr(module, name, None)
    parts = [part for path, part in sys.modules.items() if path.startswith(f"lintel.{package}.")]
    assert None in [vars(part).get(name, 0) for part in parts]


def test_new_names_of_a_package_stay_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "new_name", 1, raising=False)
    assert not hasattr(pagination.base, "new_name")


@pytest.mark.parametrize("package", ["fields", "relations", "serializers", "pagination"])
def test_a_star_takes_names_of_a_package_and_not_its_modules(package: str) -> None:
    module = sys.modules[f"lintel.{package}"]
    taken: dict[str, Any] = {}
    exec(f"from lintel.{package} import *", taken)
    assert "api_settings" in taken
    assert not [name for name in taken if f"lintel.{package}.{name}" in sys.modules]
    assert all(taken[name] is getattr(module, name) for name in taken if name != "__builtins__")


@pytest.mark.parametrize("package", ["documentation", "idempotency", "problems", "test"])
def test_a_star_takes_no_modules_of_other_packages_either(package: str) -> None:
    taken: dict[str, Any] = {}
    exec(f"from lintel.{package} import *", taken)
    assert not [name for name in taken if f"lintel.{package}.{name}" in sys.modules]
    assert taken.keys().isdisjoint({"Client", "RequestFactory", "annotations"})


def test_a_star_takes_the_modules_of_schemas_that_the_known_api_names() -> None:
    taken: dict[str, Any] = {}
    exec("from lintel.schemas import *", taken)
    assert taken["coreapi"] is sys.modules["lintel.schemas.coreapi"]
    assert taken["openapi"] is sys.modules["lintel.schemas.openapi"]
