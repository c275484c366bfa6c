"""Descriptions in foreign formats, read by the installed executable without --format."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

EXECUTABLE = Path(sys.executable).with_name("lintel")
DATA = Path(__file__).parents[4] / "tests" / "data"
REFERENCE_CASES = json.loads((DATA / "reference_cases.json").read_text())["cases"]

OPENAPI = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    get: {operationId: pet, parameters: [{$ref: "parts/common.yaml#/id"}]}
"""
COMMON = "id: {name: id, in: path, required: true, description: Its number.}\n"
HAL = {"_links": {"self": {"href": "/", "title": "Pets"}, "pet": {"href": "/pets/7"}}}
HYPER_SCHEMA = {
    "$schema": "http://json-schema.org/draft-04/hyper-schema",
    "title": "Pets",
    "links": [{"rel": "pet", "href": "/pets/7"}],
}
SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets/7": {"get": {"operationId": "pet"}}},
}


@pytest.fixture
def run(folder):
    """Run the executable, which must succeed, and return what it printed."""

    def _run(*arguments):
        done = subprocess.run([EXECUTABLE, *arguments], capture_output=True, timeout=60, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return _run


@pytest.fixture
def told(lintel):
    """Run the command line, which must succeed, and return output and errors."""

    def _told(*arguments):
        outcome = lintel(*arguments)
        assert outcome.status == 0, outcome.errors
        return outcome.output + outcome.errors

    return _told


@pytest.mark.parametrize("content", [HAL, HYPER_SCHEMA, SWAGGER], ids=["hal", "hyper", "swagger"])
def test_a_format_is_recognized(run, service, tmp_path, content):
    service.answer("/", content)
    service.answer("/pets/7", {"name": "Rex"})
    assert "pet()" in run("get", service.url())
    path = tmp_path / "description"
    path.write_text(json.dumps(content))
    assert "pet()" in run("load", str(path), "--url", service.url())
    assert json.loads(run("pet")) == {"name": "Rex"}


def test_references_are_followed_where_they_are_allowed(told, service, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "common.yaml").write_text(COMMON)
    path = tmp_path / "api.yaml"
    path.write_text(OPENAPI)
    service.answer("/pets/7", {"name": "Rex"})
    assert "1 part could not" in told("load", str(path))
    assert "could not" not in told("load", str(path), "--references", "--url", service.url())
    assert "Its number." in told("describe", "pet")
    assert json.loads(told("pet", "--id", "7")) == {"name": "Rex"}


def test_references_of_a_url_stay_on_its_host(told, service):
    service.answer("/api.yaml", OPENAPI, content_type="application/yaml")
    service.answer("/parts/common.yaml", COMMON, content_type="application/yaml")
    told("get", service.url("/api.yaml"))
    assert [seen.path for seen in service.seen] == ["/api.yaml"]
    assert "could not" not in told("get", service.url("/api.yaml"), "--references")
    assert "Its number." in told("describe", "pet")
    assert "could not" not in told("reload", "--references")


def test_references_are_followed_wherever_a_description_is_fetched(told, service):
    service.answer("/api.yaml", OPENAPI, content_type="application/yaml")
    number = COMMON.replace("required: true", "required: true, schema: {type: integer}")
    service.answer("/parts/common.yaml", number, content_type="application/yaml")
    url = service.url("/api.yaml")
    assert "id: int" not in told("stubs", url)
    assert "id: int" in told("stubs", url, "--references")
    told("get", url)
    told("bookmarks", "add", "pets")
    assert "could not" not in told("bookmarks", "get", "pets", "--references")
    told("get", service.url("/api.yaml?again"))
    assert "could not" not in told("history", "back", "--references")


@pytest.mark.parametrize("case", REFERENCE_CASES, ids=lambda case: case["id"])
def test_what_a_host_answers_for_a_reference(told, service, case):
    description = {"openapi": "3.1.0", "paths": {"/part": {"$ref": "part.json"}}}
    service.answer("/api/openapi.json", description)
    service.answer("/other/part.json", {"get": {"operationId": "part"}})
    service.mishaps["/api/part.json"] = [lambda handler: _answer(case, handler, service)]
    url = service.url("/api/openapi.json")
    said = told("--timeout", "0.5", "get", url, "--references")
    assert ("could not" not in said) is case["is_followed"]
    assert ("part()" in said) is case["is_followed"]


def _answer(case, handler, service):
    """Answer as tests/data/reference_cases.json says."""
    if "status" not in case:
        return handler.hang()
    handler.send_response(case["status"])
    body = case.get("body", case.get("start", "")).encode()
    if "location" in case:
        handler.send_header("Location", case["location"])
    if not case.get("endless") and not case.get("slow"):
        size = len(body) if "body" in case else 1000
        handler.send_header("Content-Length", str(case.get("length", size)))
    handler.end_headers()
    with suppress(OSError):
        handler.wfile.write(body)
        while case.get("endless"):
            handler.wfile.write(b"0" * 65536)
        while case.get("slow") and not service.over.wait(0.02):
            handler.wfile.write(b" ")
    if "start" in case:
        service.over.wait(30)
    with suppress(OSError):
        handler.drop()
    return True


@pytest.mark.parametrize("target", ["../secret.yaml", "link.yaml", "http://127.0.0.1:1/x"])
def test_references_out_of_the_folder_are_not_followed(told, tmp_path, target):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text(COMMON)
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    path = folder / "api.yaml"
    path.write_text(OPENAPI.replace("parts/common.yaml", target))
    told("load", str(path), "--references")
    assert "Its number." not in told("describe", "pet")
    assert target.rpartition("/")[2] in told("issues")


@pytest.mark.parametrize("target", ["%00.yaml", "loop.yaml"])
def test_references_with_paths_that_are_none(told, tmp_path, target):
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    path = tmp_path / "api.yaml"
    path.write_text(OPENAPI.replace("parts/common.yaml#/", f"{target}#/"))
    told("load", str(path), "--references")
    assert "cannot be read" in told("issues")


def test_a_redirect_to_another_host_is_no_part_of_a_description(told, service):
    service.answer("/api.yaml", OPENAPI, content_type="application/yaml")
    service.redirect("/parts/common.yaml", service.url("/other", host="localhost"))
    service.answer("/other", COMMON)
    told("get", service.url("/api.yaml"), "--references")
    assert "leads out of the folder" in told("issues")


def test_references_lead_anywhere_below_the_first_folder(told, tmp_path):
    for name in ("paths", "components"):
        (tmp_path / name).mkdir()
    (tmp_path / "api.yaml").write_text(
        "openapi: 3.1.0\npaths: {'/pets/{id}': {$ref: paths/pet.yaml}}"
    )
    text = "get: {operationId: pet, parameters: [{$ref: '../components/common.yaml#/id'}]}"
    (tmp_path / "paths" / "pet.yaml").write_text(text)
    (tmp_path / "components" / "common.yaml").write_text(COMMON)
    assert "could not" not in told("load", str(tmp_path / "api.yaml"), "--references")
    assert "Its number." in told("describe", "pet")


def test_a_redirect_out_of_the_folder_is_no_part_of_a_description(told, service):
    service.answer("/v1/api.yaml", OPENAPI, content_type="application/yaml")
    service.redirect("/v1/parts/common.yaml", service.url("/private/common.yaml"))
    service.answer("/private/common.yaml", COMMON)
    told("get", service.url("/v1/api.yaml"), "--references")
    assert "leads out of the folder" in told("issues")


def test_standard_input_lies_in_no_folder(lintel):
    outcome = lintel("load", "-", "--references", stdin=OPENAPI)
    assert outcome.status == 2
    assert "--references needs a file" in outcome.errors
