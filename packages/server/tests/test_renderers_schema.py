"""Renderers of the native schema."""

import base64
import datetime
import json
import re

import pytest
import yaml

from lintel import renderers
from lintel.exceptions import ErrorDetail
from lintel.renderers import schema as module
from lintel.renderers.documentation import sections
from lintel_document import Document, Field, Link, schemas

FIELDS = [
    Field("id", required=True, location="path", schema=schemas.Integer(title="ID")),
    Field("q", location="query", description="Text."),
    Field("kind", location="form", schema=schemas.Enum(enum=[1, "a"])),
]
DOCUMENT = Document(
    url="https://x.org/",
    title="Té </script>",
    description="D",
    content={
        "things": {
            "read": Link(
                "https://x.org/things/{id}/", "get", title="S", description="R", fields=FIELDS
            ),
            "deep": {"er": Link("/deep/", "post", encoding="application/json")},
        },
        "top": Link("/top/", "get"),
    },
)


def test_core_json_is_compact_unless_the_context_asks_for_layout():
    renderer = renderers.CoreJSONRenderer()
    assert (
        renderer.render(Document(title="é"))
        == '{"_type":"document","_meta":{"title":"é"}}'.encode()
    )
    assert b'\n    "_type"' in renderer.render(Document(), None, {"indent": 4})
    assert renderer.render({"detail": "x"}) == b'{"detail":"x"}'


def test_the_script_carries_the_document_safely():
    script = renderers.SchemaJSRenderer().render(DOCUMENT)
    assert "</script>" not in script
    assert script.isascii()
    (text,) = re.findall(r'atob\("([^"]+)"\)', script)
    carried = base64.b64decode(text)
    assert carried.isascii()
    assert json.loads(carried) == json.loads(renderers.CoreJSONRenderer().render(DOCUMENT))


def test_errors_in_yaml_are_plain_text():
    text = renderers.OpenAPIRenderer().render({"detail": ErrorDetail("No.", code="no")})
    assert yaml.safe_load(text) == {"detail": "No."}


def test_openapi_is_made_of_paths_and_parameters():
    text = renderers.CoreAPIOpenAPIRenderer().render(DOCUMENT)
    structure = yaml.safe_load(text)
    assert structure == json.loads(renderers.CoreAPIJSONOpenAPIRenderer().render(DOCUMENT))
    assert structure["info"] == {"version": "", "title": "Té </script>", "description": "D"}
    assert structure["servers"] == [{"url": "https://x.org/"}]
    assert structure["paths"]["/things/{id}/"]["get"] == {
        "operationId": "things_read",
        "summary": "S",
        "description": "R",
        "parameters": [
            {
                "name": "id",
                "in": "path",
                "required": True,
                "schema": {"type": "integer", "title": "ID", "description": ""},
            },
            {"name": "q", "in": "query", "description": "Text."},
        ],
        "tags": ["things"],
    }
    assert structure["paths"]["/top/"]["get"] == {"operationId": "top"}
    assert structure["paths"]["/deep/"]["post"]["operationId"] == "things_deep_er"


def test_choices_of_any_kind_can_be_written():
    choices = schemas.Enum(enum=[datetime.date(2020, 1, 2)])
    link = Link("/", "get", fields=[Field("day", location="query", schema=choices)])
    document = Document(content={"list": link})
    structure = yaml.safe_load(renderers.CoreAPIOpenAPIRenderer().render(document))
    (parameter,) = structure["paths"]["/"]["get"]["parameters"]
    assert parameter["schema"]["enum"] == ["2020-01-02"]


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setattr(module, "yaml", None)
    with pytest.raises(ImportError, match=r"django-lintel\[openapi\]"):
        renderers.CoreAPIOpenAPIRenderer()


def test_sections_group_the_operations():
    loose, things = sections(DOCUMENT)
    assert (loose["name"], [item["label"] for item in loose["links"]]) == ("", ["top"])
    assert [item["label"] for item in things["links"]] == ["read", "deep / er"]
    read = things["links"][0]
    assert [group["title"] for group in read["groups"]] == [
        "Path parameters",
        "Query parameters",
        "Request body",
    ]
    assert read["facts"]["fields"][2]["choices"] == [1, "a"]


def test_header_names_are_those_of_requests():
    assert module.header_name("HTTP_X_CSRFTOKEN") == "X-CSRFTOKEN"
