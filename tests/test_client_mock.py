"""What `make clients` does to a description before the mock server gets it."""

from parity.descriptions import named_descriptions
from parity.mock import mocked


def test_operations_are_at_the_root_of_one_server_without_credentials() -> None:
    operation = {
        "servers": [{"url": "https://other.example"}],
        "security": [{"key": []}],
        "x-lintel": {"url": "https://third.example"},
        "responses": {},
    }
    tree = {
        "openapi": "3.1.0",
        "security": [{"key": []}],
        "servers": [{"url": "https://api.example/v1"}],
        "paths": {"/a": {"servers": [], "get": operation}},
    }
    assert mocked(tree) == {
        "openapi": "3.1.0",
        "servers": [{"url": "http://mock.example"}],
        "paths": {"/a": {"get": {"responses": {}}}},
    }
    assert "servers" in operation, "the description itself is as it was"


def test_a_description_of_2_0_has_no_base_path() -> None:
    tree = {"swagger": "2.0", "host": "a.example", "basePath": "/v1", "paths": {"/a": {}}}
    assert mocked(tree) == {**tree, "host": "mock.example", "basePath": "/", "schemes": ["http"]}


def test_six_descriptions_are_called_without_others() -> None:
    found = list(named_descriptions([]))
    assert len(found) == 6
    assert all(mocked(each.tree)["paths"] for each in found)
