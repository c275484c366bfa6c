"""The names of operations for agents."""

import pytest

from lintel_document import Document, Link
from lintel_document.agents.operations import operations_of, tool_name


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_with_one_name_what_reads_has_it(turned):
    entries = {
        "builds": {"x.read": Link("/b", "delete")},
        "builds.x": {"read": Link("/b", "get")},
        "builds_x_read": Link("/c", "post"),
    }
    document = Document(content=dict(reversed(entries.items())) if turned else entries)
    found = operations_of(document)
    by_key = {each.key: each.method for each in found}
    assert sorted(each.name for each in found) == ["delete_b", "get_b", "post_c"]
    assert (len(by_key), by_key["builds.x.read"]) == (3, "get")


@pytest.mark.parametrize(
    ("method", "url", "name"),
    [
        ("get", "http://a.example/api/v1/users/{id}/", "get_api_v1_users_id"),
        ("", "/users/{?page,size}", "get_users"),
        ("DELETE", "users/{id}", "delete_users_id"),
        ("get", "http://{+host}/x{/rest}#there", "get_x_rest"),
        ("get", "https://a.example", "get"),
        ("get", "", "get"),
        ("post", "/caf%C3%A9/r\u00e9sum\u00e9s/@me/a.b", "post_caf_r_sum_s_me_a_b"),
        ("get", "http://[::1/{x}", "get_x"),
    ],
)
def test_names_of_tools_are_methods_and_paths(method, url, name):
    assert tool_name(Link(url, method)) == name


def test_names_do_not_depend_on_keys_and_order():
    """As they differ between the formats of descriptions."""
    links = [Link("/a/{id}/", "get"), Link("/a/", "post"), Link("/a/", "get"), Link("/a", "get")]
    first = {str(at): link for at, link in enumerate(links)}
    second = {"group": {f"x{at}": link for at, link in enumerate(reversed(links))}}

    def named(content):
        found = operations_of(Document(content=content))
        return sorted((each.name, each.link.url) for each in found)

    assert named(first) == named(second)
    assert ("get_a", "/a") in named(first)
    assert ("get_a_2", "/a/") in named(first)
