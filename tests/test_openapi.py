"""The description of the example service, checked with third-party rules and readers."""

import json
from typing import Any

import pytest
from jsonschema.validators import validator_for
from openapi_spec_validator import validate
from openapi_spec_validator.schemas import schema_v30, schema_v31, schema_v32
from service_description import VERSIONS, description

#: The JSON Schemas published by the OpenAPI Initiative, which the validator contains.
OFFICIAL = {"3.0.3": schema_v30, "3.1": schema_v31, "3.2": schema_v32}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_it_is_valid(version: str) -> None:
    document = json.loads(description(version))
    assert document["openapi"].startswith(version)
    validate(document)


def test_it_is_valid_by_the_official_schema(version: str) -> None:
    schema: Any = dict(OFFICIAL[version])
    errors = validator_for(schema)(schema).iter_errors(json.loads(description(version)))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_the_official_schemas_find_mistakes(version: str) -> None:
    document = {**json.loads(description(version)), "paths": {"x": {"get": {"responses": 1}}}}
    schema: Any = dict(OFFICIAL[version])
    assert list(validator_for(schema)(schema).iter_errors(document))


def test_errors_come_in_the_media_types_of_their_views(version: str) -> None:
    document = json.loads(description(version))
    paths, shared = document["paths"], document["components"]["responses"]
    data = ["application/json", "application/problem+json"]
    for path, media_types in (("", data), ("highlight/", ["text/html"])):
        reference = paths[f"/snippets/{{id}}/{path}"]["get"]["responses"]["404"]["$ref"]
        assert list(shared[reference.rpartition("/")[2]]["content"]) == media_types
