import ast

from lintel_client.stubs import RUNTIME
from lintel_document import Document, Link


def test_stubs_of_a_url_are_written_with_their_module(service, snippets, lintel, tmp_path):
    done = lintel("stubs", service.url(), "-o", str(tmp_path / "api.pyi"))
    assert (done.status, done.output) == (0, "")
    text = (tmp_path / "api.pyi").read_text()
    assert 'language: NotRequired[Literal["python", "el"]]' in text
    ast.parse(text)
    assert (tmp_path / "api.py").read_text() == RUNTIME
    assert "api.py is the module" in done.errors


def test_a_module_that_is_there_stays(snippets, lintel, tmp_path):
    (tmp_path / "api.py").write_text("mine")
    assert lintel("stubs", "--output", str(tmp_path / "api.pyi")).errors == ""
    assert (tmp_path / "api.py").read_text() == "mine"


def test_without_a_file_they_are_printed(snippets, lintel):
    assert "class AsyncClient(" in lintel("stubs").output
    shown = lintel("stubs", "--typescript").output
    assert 'keys: readonly ["snippets", "list"]' in shown


def test_schemas_for_zod_are_a_module(service, snippets, lintel, tmp_path):
    assert lintel("stubs", service.url(), "--zod", "-o", str(tmp_path / "api.ts")).output == ""
    assert "export function checked(" in (tmp_path / "api.ts").read_text()
    assert not (tmp_path / "api.py").exists()
    refused = lintel("stubs", "--zod", "-o", str(tmp_path / "api.d.ts"))
    assert (refused.status, "api.ts" in refused.errors) == (2, True)
    assert "--zod" in lintel("stubs", "--zod", "--models").errors


def test_what_has_no_types(service, lintel):
    service.answer("/data", {"a": 1})
    assert lintel("stubs", service.url("/data")).status == 2
    assert "did not return an API description" in lintel("stubs", service.url("/data")).errors
    assert lintel("stubs").status == 2


def test_models_are_a_module(service, snippets, lintel, tmp_path):
    done = lintel("stubs", service.url(), "--models", "-o", str(tmp_path / "api.py"))
    assert (done.status, done.output) == (0, "")
    text = (tmp_path / "api.py").read_text()
    assert "from dataclasses import dataclass" in text
    ast.parse(text)
    assert "from attrs import define" in lintel("stubs", "--models", "attrs").output
    assert "from pydantic import BaseModel" in lintel("stubs", "--models=pydantic").output


def test_the_style_of_models_may_be_left_out_before_the_url(service, snippets, lintel):
    for arguments in (("--models", service.url()), ("--models", "dataclasses", service.url())):
        assert "Models of Snippets" in lintel("stubs", *arguments).output
    assert "one of" in lintel("stubs", "--models", service.url(), service.url()).errors
    assert "attrs" in lintel("stubs", "--models", "atrs").errors


def test_models_are_no_stubs(snippets, lintel, tmp_path):
    refused = lintel("stubs", "--models", "-o", str(tmp_path / "api.pyi"))
    assert refused.status == 2
    assert "api.py" in refused.errors
    assert lintel("stubs", "--models", "--typescript").status == 2


def test_models_of_a_description_without_results_say_so(service, lintel, folder):
    service.answer("/", Document(service.url(), content={"list": Link("/l/")}))
    done = lintel("stubs", service.url(), "--models")
    assert done.status == 0
    assert "says nothing about results" in done.errors
    assert lintel("stubs", service.url(), "--typescript").errors == ""
