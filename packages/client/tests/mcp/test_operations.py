"""The names of operations for agents."""

import pytest

from lintel_client.mcp.operations import Selection, operations_of
from lintel_document import Document, Link


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_with_one_name_what_reads_has_it(turned):
    entries = {
        "builds": {"x.read": Link("/b", "delete")},
        "builds.x": {"read": Link("/b", "get")},
        "builds_x_read": Link("/c", "post"),
    }
    document = Document(content=dict(reversed(entries.items())) if turned else entries)
    found = operations_of(document, Selection(allow_write=True))
    by_name = {each.name: each.method for each in found}
    by_key = {each.key: each.method for each in found}
    assert (len(by_name), by_name["builds_x_read"]) == (3, "get")
    assert (len(by_key), by_key["builds.x.read"]) == (3, "get")
