"""Which methods and names promise to change nothing."""

import pytest

from lintel_document.methods import is_safe, reads_safe


@pytest.mark.parametrize("method", ["", "get", "GET", "Head", "options", "QUERY"])
def test_methods_that_only_read(method: str) -> None:
    assert is_safe(method)


@pytest.mark.parametrize("method", ["post", "PUT", "patch", "Delete", "trace", "purge", "gets"])
def test_methods_that_may_write(method: str) -> None:
    assert not is_safe(method)


@pytest.mark.parametrize(
    "name",
    ["read", "list", "getUser", "GetUser", "get_user", "get-user", "GET", "show2", "_retrieve",
     "head", "options", "view.all", "fetch", "describe", "detail", "details", "info"],
)  # fmt: skip
def test_names_that_promise_to_read(name: str) -> None:
    assert reads_safe(name)


@pytest.mark.parametrize(
    "name", ["", "1", "delete_list", "getaway", "readers", "listing", "Viewer", "orders", "LISTEN"]
)
def test_other_names(name: str) -> None:
    assert not reads_safe(name)
