"""Links to other pages: parsed URLs give the same links as the functions for one URL."""

from typing import Any

import pytest
from django.core.paginator import Page, Paginator
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from lintel import fast
from lintel.pagination import PageNumberPagination
from lintel.pagination.base import Address
from lintel.request import Request
from lintel.utils.urls import remove_query_param, replace_query_param

QUERIES = st.lists(
    st.sampled_from([*"abp=&+2é.~-;/?[] A1_%", "%3D", "%2B", "%2F", "%26", "%3d", "page=1", "&a="]),
    max_size=12,
).map("".join)
NAMES = st.sampled_from(["a", "page", "p", "é", "a b", "x[]", ""])


@given(query=QUERIES, name=NAMES, value=st.integers() | st.text(alphabet="aé=&+%/ ", max_size=4))
def test_a_changed_parameter(query: str, name: str, value: Any) -> None:
    url = f"http://testserver/rows/?{query}"
    assert Address(url).link({name: value}) == replace_query_param(url, name, value)


@given(query=QUERIES, name=NAMES)
def test_a_removed_parameter(query: str, name: str) -> None:
    url = f"http://testserver/rows/?{query}"
    assert Address(url).link({name: None}) == remove_query_param(url, name)


@pytest.mark.parametrize(
    "url", ["http://x/", "http://x/?", "/rows/", "/rows/?a=1#top", "http://x/%C3%A9/?b=2&a=1&b=1"]
)
def test_addresses_of_any_form(url: str) -> None:
    address = Address(url)
    assert address.link({"page": 2}) == replace_query_param(url, "page", 2)
    assert address.link({"page": None}) == remove_query_param(url, "page")
    assert address.link({"b": "x", "a": None}) == replace_query_param(
        remove_query_param(url, "a"), "b", "x"
    )


def test_links_follow_the_request_of_the_paginator() -> None:
    paginator = PageNumberPagination()
    paginator.page_size = 1
    for path in ("/one/", "/two/"):
        request = Request(RequestFactory().get(path))
        paginator.paginate_queryset([1, 2], request)
        assert paginator.get_next_link() == f"http://testserver{path}?page=2"


def test_pages_of_other_classes_hand_their_rows_out_themselves() -> None:
    class Doubled(Page):
        def __getitem__(self, index: Any) -> Any:
            return super().__getitem__(index) * 2

    class Doubling(Paginator):
        def _get_page(self, *arguments: Any) -> Page:
            return Doubled(*arguments)

    class Doubles(PageNumberPagination):
        django_paginator_class = Doubling
        page_size = 2

    request = Request(RequestFactory().get("/"))
    assert Doubles().paginate_queryset([1, 2, 3], request) == [2, 4]
    assert fast.page_rows(Doubling([1, 2, 3], 2).page(1)) is fast.PLAIN
    plain = Paginator((1, 2, 3), 2).page(2)
    assert fast.page_rows(plain) == [3]
    assert fast.page_rows(plain) is not plain.object_list
