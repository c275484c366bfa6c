import pytest

from lintel.utils.urls import remove_query_param, replace_query_param


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://x/?b=1&a=2", "http://x/?a=2&b=1&page=3"),
        ("/items", "/items?page=3"),
        ("/items?page=1&page=2", "/items?page=3"),
        ("/items?empty=#part", "/items?empty=&page=3#part"),
        ("/items?caf%C3%A9=%26", "/items?caf%C3%A9=%26&page=3"),
    ],
)
def test_replace_sets_one_value_and_sorts(url: str, expected: str) -> None:
    assert replace_query_param(url, "page", 3) == expected


def test_remove_drops_every_value() -> None:
    assert remove_query_param("/items?page=1&a=2&page=3", "page") == "/items?a=2"
    assert remove_query_param("/items?page=1", "page") == "/items"
    assert remove_query_param("/items", "page") == "/items"
