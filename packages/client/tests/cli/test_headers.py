import json

import pytest

from lintel_document import CoreJSONCodec, Document, Field, Link


def shown(lintel, *options):
    return json.loads(lintel("headers", "show", *options).output)


def test_headers_are_kept_by_domain_and_hidden(lintel):
    lintel("headers", "add", "x.org", "X-A", "1")
    lintel("headers", "add", "x.org", "x-a", "2")
    lintel("headers", "add", "x.org", "X-B", "3")
    lintel("headers", "add", "y.org", "X-A", "4")
    assert shown(lintel)[0] == {"domain": "x.org", "header": "x-a", "value": "***"}
    assert [(row["domain"], row["header"], row["value"]) for row in shown(lintel, "--reveal")] == [
        ("x.org", "x-a", "2"),
        ("x.org", "X-B", "3"),
        ("y.org", "X-A", "4"),
    ]


def test_headers_are_removed(lintel):
    lintel("headers", "add", "x.org", "X-A", "1")
    assert lintel("headers", "remove", "x.org", "X-B").status == 2
    assert lintel("headers", "remove", "y.org", "X-A").status == 2
    assert lintel("headers", "remove", "x.org", "x-a").status == 0
    assert shown(lintel) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["http://x.org", "X-A", "1"],
        ["x.org", "X A", "1"],
        ["x.org", "X-A", "1\r\nX-Evil: 2"],
        ["x.org", "Host", "evil.example"],
        ["x.org", "X-A"],
    ],
)
def test_wrong_usage(lintel, arguments):
    assert lintel("headers", "add", *arguments).status == 2
    assert shown(lintel) == []


@pytest.mark.parametrize(
    ("address", "link"), [("http://x.org/", "/"), ("", "http://x.org/issues/{?page}")]
)
def test_a_kept_header_fills_a_required_parameter_and_gives_way_to_one_that_is_given(
    lintel, tmp_path, address, link
):
    tenant = Field("X-Tenant", required=True, location="header")
    document = Document(address, "Issues", content={"list": Link(link, fields=[tenant])})
    (tmp_path / "issues.json").write_bytes(CoreJSONCodec().encode(document))
    lintel("load", str(tmp_path / "issues.json"), "--format", "corejson")
    preview = ("action", "list", "--dry-run")
    assert lintel(*preview).status == 2
    lintel("headers", "add", "y.org", "X-Tenant", "other")
    assert lintel(*preview).status == 2
    lintel("headers", "add", "x.org", "x-tenant", "kept")
    assert "kept" not in lintel(*preview).output
    assert "kept" in lintel(*preview, "--reveal").output
    said = lintel(*preview, "--reveal", "--param", "X-Tenant=said").output
    assert "said" in said
    assert "kept" not in said
