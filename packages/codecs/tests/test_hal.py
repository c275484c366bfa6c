"""HAL and HAL-FORMS: reading real-world documents, and reading back what is written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lintel_client.building import build_request
from lintel_codecs.hal import HALCodec
from lintel_document import Array, Document, EncodeError, Error, Field, Link, ParseError, schemas

BASE = "https://api.example/orders?page=2"

ORDERS = {
    "_links": {
        "self": {"href": "/orders?page=2", "title": "Orders"},
        "curies": [{"name": "ea", "href": "https://docs.example/{rel}", "templated": True}],
        "next": {"href": "/orders?page=3"},
        "ea:find": {"href": "/orders{?id,tags*}", "templated": True, "type": "application/json"},
        "https://rels.example/cancel-all": {
            "href": "/cancel",
            "deprecation": "https://d.example/c",
        },
        "ea:admin": [
            {"href": "/admins/2", "name": "fred", "title": "Fred", "hreflang": "en"},
            {"href": "/admins/{id}", "name": "kate", "templated": True, "profile": "urn:p"},
        ],
        "item": [{"href": "/orders/1"}, {"href": "/orders/2"}],
    },
    "count": 2,
    "_embedded": {
        "ea:order": [
            {
                "_links": {"self": {"href": "/orders/1"}, "ea:customer": {"href": "../c/7"}},
                "total": 30.0,
                "_embedded": {"lines": [{"sku": "a"}]},
            },
        ],
        "basket": {"_links": {"self": {"href": "/baskets/9"}}, "size": 1},
    },
}


def decode(value, **options) -> Document:
    return HALCodec().decode(json.dumps(value).encode(), base_url=BASE, **options)


def again(document: Document) -> Document:
    return HALCodec().decode(HALCodec().encode(document))


def test_links_and_embedded_documents_stand_under_short_keys():
    document = decode(ORDERS)
    assert (document.url, document.title) == (BASE, "Orders")
    assert list(document) == [
        *("count", "order", "basket", "next", "find", "cancel-all", "admin", "item"),
    ]
    assert document.issues == ()
    order = document["order"][0]
    assert (order.url, order["total"]) == ("https://api.example/orders/1", 30.0)
    assert order["customer"].url == "https://api.example/c/7"
    assert order["lines"][0] == {"sku": "a"}
    assert document["basket"].url == "https://api.example/baskets/9"
    assert document["item"] == Array(
        [
            Link("https://api.example/orders/1", "get"),
            Link("https://api.example/orders/2", "get"),
        ]
    )


def test_what_a_link_says_of_itself_is_kept():
    document = decode(ORDERS)
    assert document["cancel-all"].deprecated
    assert document["cancel-all"].description == "Deprecated: https://d.example/c"
    assert document["admin"]["fred"].title == "Fred"
    assert document["admin"]["fred"].description == "Language: en"
    assert document["admin"]["kate"].description == "Profile: urn:p"
    assert document["find"].accept == ("application/json",)


def test_templates_are_expanded_as_the_standard_says():
    document = decode(ORDERS)
    found = build_request(document["find"], {"id": "a b", "tags": ["x", "y"]})
    assert found.url == "https://api.example/orders?id=a%20b&tags=x&tags=y"
    assert build_request(document["find"]).url == "https://api.example/orders"
    assert [(field.name, field.required) for field in document["find"].fields] == [
        ("id", False),
        ("tags", False),
    ]
    assert document["admin"]["kate"].fields == (Field("id", True, "path"),)


def test_keys_that_would_be_one_stay_apart():
    resource = {
        "next": 1,
        "_links": {"next": {"href": "/n"}, "a:x": {"href": "/a"}, "b:x": {"href": "/b"}},
        "_embedded": {"next": {"v": 1}, "a:x": {"v": 2}},
        "_templates": {"next": {"method": "POST"}},
    }
    document = decode(resource)
    assert {key: type(value).__name__ for key, value in document.items()} == {
        "next": "int",
        "next_embedded": "Document",
        "x": "Document",
        "next_link": "Link",
        "a:x": "Link",
        "b:x": "Link",
        "next_form": "Link",
    }


def test_forms_are_links_with_fields():
    form = {
        "method": "PATCH",
        "title": "Change",
        "target": "/orders/1",
        "contentType": "application/x-www-form-urlencoded",
        "properties": [
            {"name": "id", "readOnly": True},
            {"name": "note", "required": True, "prompt": "A note", "regex": "^a", "maxLength": 9},
            {"name": "state", "options": {"inline": [{"prompt": "New", "value": "n"}, "o"]}},
            {"name": "count", "type": "number", "min": 1, "max": 5, "value": 2},
            {"name": "gift", "type": "checkbox"},
            {"name": "due", "type": "date"},
        ],
    }
    search = {"method": "GET", "properties": [{"name": "q"}]}
    document = decode(
        {"_templates": {"default": form, "search": search, "remove": {"method": "DELETE"}}}
    )
    change = document["default"]
    request = build_request(change, {"note": "a b", "count": 3})
    assert (request.method, request.url) == ("PATCH", "https://api.example/orders/1")
    assert request.body == b"note=a+b&count=3"
    assert [field.name for field in change.fields] == ["note", "state", "count", "gift", "due"]
    assert change.fields[0].schema == schemas.String(title="A note", pattern="^a", max_length=9)
    assert change.fields[1].schema.enum == ("n", "o")
    assert change.fields[2].schema == schemas.Number(minimum=1, maximum=5, default=2)
    assert change.fields[4].schema.format == "date"
    assert build_request(document["search"], {"q": "x"}).url == BASE + "&q=x"
    assert document["remove"] == Link(BASE, "delete")


@pytest.mark.parametrize(
    ("resource", "place"),
    [
        ({"_links": {"x": "/x"}}, "#/_links/x"),
        ({"_links": {"x": None}}, "#/_links/x"),
        ({"_links": {"x": 3}}, "#/_links/x"),
        ({"_links": {"x": {}}}, "#/_links/x/href"),
        ({"_links": {"x": {"href": None}}}, "#/_links/x/href"),
        ({"_links": {"x": ["/a", "/b"]}}, "#/_links/x/1"),
        ({"_links": {"x": [None, {"href": "/a"}]}}, "#/_links/x/0"),
        ({"_links": {"x": {"href": "/{a", "templated": True}}}, "#/_links/x/href"),
        ({"_links": {"self": "/me"}}, "#/_links/self"),
        ({"_links": {"self": None, "x": True}}, "#/_links/x"),
        ({"_links": []}, None),
        ({"_links": [{"rel": "x", "href": "/x"}, 3]}, "#/_links"),
        ({"_links": "none"}, "#/_links"),
        ({"_links": None}, "#/_links"),
        ({"_embedded": 7}, "#/_embedded"),
        ({"_embedded": None}, "#/_embedded"),
        ({"_embedded": {"x": 7}}, "#/_embedded/x"),
        ({"_embedded": {"x": [1, {"a": 1}]}}, "#/_embedded/x/0"),
        ({"_embedded": {"x": [[{}]]}}, "#/_embedded/x/0"),
        ({"_templates": []}, "#/_templates"),
        ({"_templates": {"x": 1}}, "#/_templates/x"),
        ({"_templates": {"x": {"properties": {}}}}, "#/_templates/x/properties"),
        ({"_templates": {"x": {"properties": [{"prompt": "p"}]}}}, "#/_templates/x/properties/0"),
        ({"_templates": {"x": {"method": "G T"}}}, "#/_templates/x/method"),
        ({"a": [{"_links": {"x/y": 1}}]}, "#/a/0/_links/x~1y"),
    ],
)
def test_odd_shapes_become_issues_with_their_place(resource, place):
    document = decode({**resource, "kept": 1})
    assert document["kept"] == 1
    assert place is None or place in [issue.place for issue in document.issues]
    if place:
        with pytest.raises(ParseError, match=r"^#/"):
            decode(resource, strict=True)


def test_what_is_usable_of_odd_shapes_is_used():
    document = decode(
        {
            "_links": {"a": "/a", "b": ["/b1", None, {"href": "/b2"}]},
            "_embedded": {"n": 5, "l": [1, {"v": 2}], "s": "text"},
        }
    )
    assert document["a"].url == "https://api.example/a"
    assert [link.url for link in document["b"]] == [
        "https://api.example/b1",
        "https://api.example/b2",
    ]
    assert (document["n"], document["s"], document["l"]) == (5, "text", [1, {"v": 2}])


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b'{"a":' * 150, b"[" * 100_000, b"\xff"])
def test_what_is_no_resource_is_a_parse_error(content):
    with pytest.raises(ParseError):
        HALCodec().decode(content)


@pytest.mark.parametrize("depth", [150, 10_000])
@pytest.mark.parametrize("piece", [b'{"a":', b'{"_embedded":{"a":'])
def test_what_is_nested_too_deeply_is_left_out(piece, depth):
    content = b'{"b":1,"c":' + piece * depth + b"1" + b"}" * (depth * piece.count(b"{")) + b"}"
    document = HALCodec().decode(content)
    assert document["b"] == 1
    assert "levels deep is left out" in document.issues[0].message
    assert HALCodec().encode(document)


def test_resources_are_recognized_by_the_links_at_their_top():
    codec = HALCodec()
    assert codec.recognizes(json.dumps(ORDERS).encode())
    for other in (
        b'{"_links": {}}',
        b'{"items": [{"_links": {"self": {"href": "/"}}}]}',
        b'{"_links": ["/a"]}',
        b'["_links"]',
        b'"_links" {',
        b'{"openapi": "3.1.0"}',
    ):
        assert not codec.recognizes(other)


def test_hostile_resources_have_bounded_issues():
    document = decode({"_links": {f"r{at}": None for at in range(50_000)}})
    assert len(document.issues) == 1_001
    assert decode({"_links": {f"{at}:x": {"href": "/"} for at in range(50_000)}})["7:x"]


# Writing


def test_links_are_written_as_real_templates():
    document = Document(
        "https://api.example/",
        "API",
        content={
            "list": Link(
                "/users",
                "get",
                fields=[
                    Field("page", location="query"),
                    Field("tag", location="query", schema=schemas.Array()),
                ],
            ),
            "read": Link(
                "https://api.example/users/{id}", "get", fields=[Field("id", True, "path")]
            ),
            "create": Link(
                "https://api.example/users",
                "post",
                "application/json",
                title="New user",
                fields=[
                    Field("name", True, "form", schemas.String(title="Name")),
                    Field("kind", location="form", schema=schemas.Enum(enum=["a", "b"])),
                ],
            ),
        },
    )
    written = json.loads(HALCodec().encode(document))
    assert written["_links"]["self"] == {"href": "https://api.example/", "title": "API"}
    assert written["_links"]["list"]["href"] == "/users{?page,tag*}"
    assert written["_links"]["list"]["templated"] is True
    assert written["_links"]["read"] == {"href": "/users/{id}", "templated": True}
    form = written["_templates"]["create"]
    assert (form["method"], form["target"], form["title"]) == ("POST", "/users", "New user")
    assert form["contentType"] == "application/json"
    assert form["properties"] == [
        {"name": "name", "required": True, "prompt": "Name"},
        {"name": "kind", "options": {"inline": ["a", "b"]}},
    ]


def test_what_was_read_from_the_wild_is_written_and_read_again():
    document = decode(ORDERS)
    assert again(document) == document
    assert again(document)["cancel-all"].deprecated
    written = json.loads(HALCodec().encode(document))
    assert written["_links"]["cancel-all"]["deprecation"] == "https://d.example/c"
    assert written["_links"]["admin"][1] == {
        "href": "/admins/{id}",
        "templated": True,
        "profile": "urn:p",
        "name": "kate",
    }


@pytest.mark.parametrize(
    "content",
    [
        {"x": Error("Failed")},
        {"x": [Link("/a"), 1]},
        {"x": [[Link("/a")]]},
        {"x": object()},
        {"x": float("nan")},
        {"x": [[Document("/a")]]},
    ],
    ids=["error", "link in a list", "link in lists", "object", "nan", "document in lists"],
)
def test_what_has_no_place_in_hal_is_refused(content):
    with pytest.raises(EncodeError):
        HALCodec().encode(Document(content=content))
    with pytest.raises(EncodeError):
        HALCodec().encode(Error("Failed"))


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
KEYS = TEXTS | st.sampled_from(
    [
        "self",
        "curies",
        "_links",
        "__embedded",
        "_templates",
        "a:b",
        "http://x.example/y",
        "key:z",
        "x",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
SCHEMAS = (
    st.none()
    | st.builds(schemas.String, title=TEXTS, max_length=st.none() | st.integers(0, 9))
    | st.builds(
        schemas.Integer,
        description=TEXTS,
        minimum=st.integers(0, 9),
        exclusive_minimum=st.booleans(),
    )
    | st.builds(schemas.Enum, enum=st.lists(TEXTS, min_size=1, max_size=2))
    | st.builds(schemas.Array, items=st.builds(schemas.Boolean), unique_items=st.booleans())
    | st.builds(
        schemas.Object,
        properties=st.dictionaries(TEXTS, st.builds(schemas.Number), min_size=1, max_size=2),
    )
)
NAMES = st.sampled_from(["id", "page", "tag", "q"])
FIELDS = st.lists(
    st.builds(
        Field,
        name=NAMES,
        required=st.booleans(),
        location=st.sampled_from(["", "path", "query", "form", "body", "header", "cookie"]),
        schema=SCHEMAS,
        description=st.none() | TEXTS,
        example=st.none() | TEXTS,
        explode=st.none() | st.booleans(),
        deprecated=st.booleans(),
    ),
    max_size=3,
)
LINKS = st.builds(
    Link,
    url=st.sampled_from(
        ["https://api.example/x", "https://api.example/x/{id}", "http://o.example/{x}?y=1#f"]
    ),
    action=st.sampled_from(["", "get", "post", "put", "patch", "delete", "search"]),
    encoding=st.sampled_from(["", "application/json", "multipart/form-data"]),
    transform=st.sampled_from(["", "new", "inplace"]),
    title=TEXTS,
    description=TEXTS
    | st.sampled_from(["Profile: x", "a\nLanguage: de", "Deprecated: u\nLanguage: "]),
    fields=FIELDS,
    deprecated=st.booleans(),
    accept=st.sampled_from([(), ("text/csv",), ("text/csv", "application/json")]),
)


def documents(depth: int):
    entries = (
        VALUES | LINKS | st.lists(LINKS, max_size=2) | st.dictionaries(KEYS, LINKS, max_size=2)
    )
    if depth:
        entries |= documents(depth - 1) | st.lists(documents(depth - 1), max_size=2)
    return st.builds(
        Document,
        url=st.sampled_from(
            ["", "https://api.example/", "https://api.example/a?b=c", "http://o.example/"]
        ),
        title=TEXTS,
        description=TEXTS,
        content=st.dictionaries(KEYS, entries, max_size=4),
    )


def shape(value):
    """Return everything in a tree, titles and flags included, as plain values."""
    if isinstance(value, Link):
        return (value, value.title, value.deprecated, value.accept)
    if isinstance(value, Document):
        head = (value.url, value.title, value.description)
        return (head, {key: shape(inner) for key, inner in value.items()})
    if isinstance(value, Array):
        return [shape(inner) for inner in value]
    if hasattr(value, "items"):
        return {key: shape(inner) for key, inner in value.items()}
    return value


@given(document=documents(1))
@settings(max_examples=300, deadline=None)
def test_writing_and_reading_keeps_the_document(document):
    read = again(document)
    assert shape(read) == shape(document)


HAL_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.just("/a{?b}"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "_links",
                    "_embedded",
                    "_templates",
                    "self",
                    "curies",
                    "href",
                    "templated",
                    "name",
                    "method",
                    "properties",
                    "fields",
                    "schema",
                    "options",
                    "inline",
                    "target",
                    "rel",
                    "a:b",
                    "x",
                    "__links",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=30,
)


@given(value=HAL_VALUES)
@settings(max_examples=300, deadline=None)
def test_any_json_is_read_or_refused(value):
    try:
        document = decode(value)
    except ParseError:
        assert not isinstance(value, dict)
    else:
        assert again(document).keys() == document.keys()
