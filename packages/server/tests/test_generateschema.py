"""The command generateschema."""

import io
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import override_settings
from django.urls import path, re_path

from lintel import versioning
from lintel.exceptions import ParseError
from lintel.management.commands import generateschema
from lintel.response import Response
from lintel.schemas import coreapi, openapi
from lintel.views import APIView


class Plain(APIView):
    def get(self, request):
        return Response(request.query_params)


@pytest.fixture
def urlconf(monkeypatch):
    module = ModuleType("generateschema_urls")
    module.urlpatterns = [path("plain/", Plain.as_view())]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module.__name__


def output(*arguments: str) -> str:
    out = io.StringIO()
    call_command("generateschema", *arguments, stdout=out)
    return out.getvalue()


def test_the_document_is_yaml_by_default(urlconf):
    document = yaml.safe_load(output("--urlconf", urlconf, "--title", "T", "--api_version", "2"))
    assert document["info"] == {"title": "T", "version": "2"}
    assert list(document["paths"]) == ["/plain/"]


def test_options_reach_the_document(urlconf):
    arguments = ["--format", "openapi-json", "--url", "http://x.org", "--description", "D"]
    document = json.loads(output("--urlconf", urlconf, *arguments))
    assert document["info"]["description"] == "D"
    assert list(document["paths"]) == ["http://x.org/plain/"]


def test_the_document_may_go_to_a_file(urlconf, tmp_path: Path):
    target = tmp_path / "schema.yml"
    assert output("--urlconf", urlconf, "--file", str(target)) == ""
    assert yaml.safe_load(target.read_text())["openapi"] == "3.0.2"


class OwnGenerator(openapi.SchemaGenerator):
    openapi_version = "own"


def test_the_generator_may_be_chosen(urlconf, monkeypatch):
    monkeypatch.setitem(sys.modules, "generateschema_own", sys.modules[__name__])
    document = yaml.safe_load(
        output("--urlconf", urlconf, "--generator_class", "generateschema_own.OwnGenerator")
    )
    assert document["openapi"] == "own"


def test_core_json_needs_the_setting(urlconf):
    with pytest.raises(CommandError, match="corejson"):
        output("--urlconf", urlconf, "--format", "corejson")
    settings = {"DEFAULT_SCHEMA_CLASS": "lintel.schemas.coreapi.AutoSchema"}
    with override_settings(REST_FRAMEWORK=settings):
        document = json.loads(output("--urlconf", urlconf, "--format", "corejson"))
        assert document["plain"]["list"]["url"] == "/plain/"
        assert yaml.safe_load(output("--urlconf", urlconf))["openapi"] == "3.0.0"


def test_nothing_to_describe_is_an_error_in_the_native_schema(urlconf):
    sys.modules[urlconf].urlpatterns = []
    settings = {"DEFAULT_SCHEMA_CLASS": "lintel.schemas.coreapi.AutoSchema"}
    with (
        override_settings(REST_FRAMEWORK=settings),
        pytest.raises(CommandError, match="nothing to describe"),
    ):
        output("--urlconf", urlconf)


def test_the_mode_follows_the_settings():
    command = generateschema.Command()
    assert command.get_mode() == generateschema.OPENAPI_MODE
    assert command.get_generator_class() is openapi.SchemaGenerator
    settings = {"DEFAULT_SCHEMA_CLASS": "lintel.schemas.coreapi.AutoSchema"}
    with override_settings(REST_FRAMEWORK=settings):
        assert command.get_mode() == generateschema.COREAPI_MODE
        assert command.get_generator_class() is coreapi.SchemaGenerator


def test_what_cannot_be_described_is_an_error_on_demand(urlconf):
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"}):
        with pytest.raises(CommandError, match="known about the response of GET /plain/"):
            output("--urlconf", urlconf, "--fail-on-warn")
        with pytest.warns(UserWarning, match="nothing is known"):
            document = yaml.safe_load(output("--urlconf", urlconf, "--api-version", "2"))
    assert document["openapi"] == "3.1.0"
    assert document["info"]["version"] == "2"


def test_a_file_that_cannot_be_written_is_an_error(urlconf, tmp_path: Path):
    with pytest.raises(CommandError, match="cannot be written"):
        call_command(
            "generateschema", urlconf=urlconf, file=str(tmp_path / "missing" / "schema.yml")
        )


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--urlconf", "nope"),
        ("--urlconf", "nope.urls"),
        ("--urlconf", "json"),
        ("--generator_class", "nope"),
        ("--generator_class", "nope.Generator"),
        ("--generator_class", "lintel.schemas.openapi.Nope"),
    ],
)
def test_names_that_lead_nowhere_are_errors(option, name):
    with pytest.raises(CommandError, match=option):
        output(option, name)


def test_a_mistake_inside_a_url_configuration_comes_out_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "broken_urls.py").write_text("import missing_module")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="missing_module"):
        output("--urlconf", "broken_urls")


def test_one_version_of_the_api_may_be_described(monkeypatch):
    class Versioned(Plain):
        versioning_class = versioning.URLPathVersioning

    module = ModuleType("versioned_urls")
    module.urlpatterns = [
        re_path(r"^(?P<version>v1)/old/$", Versioned.as_view()),
        re_path(r"^(?P<version>v2)/new/$", Versioned.as_view()),
    ]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with (
        override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"}),
        pytest.warns(UserWarning, match="nothing is known"),
    ):
        document = yaml.safe_load(output("--urlconf", module.__name__, "--api-version", "v2"))
    assert document["info"]["version"] == "v2"
    assert list(document["paths"]) == ["/{version}/new/"]


def test_warnings_are_printed_without_the_line_that_made_them(urlconf, capsys):
    with override_settings(REST_FRAMEWORK={"OPENAPI_VERSION": "3.1"}), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = shown
        output("--urlconf", urlconf)
    (printed,) = capsys.readouterr().out.splitlines()
    assert printed.startswith("warning: Plain: nothing is known about the response of GET")


def of_its_own_generator(request=None, **arguments):
    return request.apps


def refusing(**arguments):
    raise ParseError("No such component.")


@pytest.mark.parametrize("setting", ["PREPROCESSING_HOOKS", "POSTPROCESSING_HOOKS"])
def test_a_hook_that_fails_writes_nothing_and_is_named_with_the_cure(urlconf, tmp_path, setting):
    hooks, file = {setting: [of_its_own_generator]}, tmp_path / "schema.yml"
    line = of_its_own_generator.__code__.co_firstlineno + 1
    with (
        override_settings(SPECTACULAR_SETTINGS=hooks),
        pytest.raises(CommandError, match=r"of_its_own_generator failed: AttributeError") as caught,
    ):
        output("--urlconf", urlconf, "--file", str(file))
    said = str(caught.value)
    assert said.startswith(f"{setting}: ")
    assert f"({__file__}:{line})" in said
    assert "DEFAULT_GENERATOR_CLASS is not called" in said
    assert not file.exists()


def test_a_hook_may_refuse_the_request():
    generator = openapi.SchemaGenerator(title="T", patterns=[path("plain/", Plain.as_view())])
    hooks = {"POSTPROCESSING_HOOKS": [refusing]}
    with override_settings(SPECTACULAR_SETTINGS=hooks), pytest.raises(ParseError):
        generator.get_schema(request=None, public=True)


def shown(message, category, filename, lineno, file=None, line=None):
    print(warnings.formatwarning(message, category, filename, lineno, line), end="")
