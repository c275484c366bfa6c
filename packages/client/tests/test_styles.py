"""Values as text, in each style of OpenAPI."""

import pytest

from lintel_client.building import build_request
from lintel_client.errors import LintelError, ParameterError
from lintel_client.files import File
from lintel_document import Body, Field, JSONSchema, Link

LIST = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


def request(field, value, url="https://a.example/x"):
    link = Link(url, "get", fields=[field], path=url)
    return build_request(link, {field.name: value})


def query(value, style="form", explode=True, **more):
    field = Field("color", location="query", style=style, explode=explode, **more)
    return request(field, value).url.partition("?")[2]


def path(value, style="simple", explode=False):
    field = Field("color", True, "path", style=style, explode=explode)
    return request(field, value, "https://a.example/x/{color}").url.removeprefix(
        "https://a.example/x/"
    )


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("matrix", False, "", ";color"),
        ("matrix", False, "blue", ";color=blue"),
        ("matrix", False, OBJECT, ";color=R,100,G,200,B,150"),
        ("matrix", True, LIST, ";color=blue;color=black;color=brown"),
        ("label", False, "blue", ".blue"),
        ("label", True, LIST, ".blue.black.brown"),
        ("label", False, LIST, ".blue,black,brown"),
        ("simple", False, LIST, "blue,black,brown"),
        ("simple", False, OBJECT, "R,100,G,200,B,150"),
        ("simple", True, OBJECT, "R=100,G=200,B=150"),
        ("simple", False, "é/?#%", "%C3%A9%2F%3F%23%25"),
        ("simple", False, True, "true"),
        ("pipeDelimited", False, LIST, "blue%7Cblack%7Cbrown"),
    ],
)
def test_paths(style, explode, value, text):
    assert path(value, style, explode) == text


@pytest.mark.parametrize(
    ("style", "explode", "value", "text"),
    [
        ("form", True, "", "color="),
        ("form", True, LIST, "color=blue&color=black&color=brown"),
        ("form", False, LIST, "color=blue,black,brown"),
        ("form", True, OBJECT, "R=100&G=200&B=150"),
        ("form", False, OBJECT, "color=R,100,G,200,B,150"),
        ("form", False, ["a,b", "c"], "color=a%2Cb,c"),
        ("spaceDelimited", False, LIST, "color=blue%20black%20brown"),
        ("spaceDelimited", True, LIST, "color=blue&color=black&color=brown"),
        ("pipeDelimited", False, LIST, "color=blue%7Cblack%7Cbrown"),
        ("tabDelimited", False, LIST, "color=blue%09black%09brown"),
        ("deepObject", True, {"a": {"b": [1, 2]}}, "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2"),
        ("deepObject", True, ["a", "b"], "color%5B0%5D=a&color%5B1%5D=b"),
        ("form", True, None, ""),
        ("form", True, [], ""),
        ("form", False, {}, ""),
        ("form", True, ["a", None], "color=a"),
        ("form", True, {"a": None, "b": False}, "b=false"),
    ],
)
def test_queries(style, explode, value, text):
    assert query(value, style, explode) == text


def test_reserved_characters_may_stay():
    assert query("a/b?c=%20#[é", allow_reserved=True) == "color=a/b?c%3D%20%23%5B%C3%A9"
    assert query("100%", allow_reserved=True) == "color=100%25"


@pytest.mark.parametrize("value", [{"a": {"b": 1}}, [[1]], [{"a": 1}], {"a": [1]}])
def test_values_inside_values_are_refused(value):
    with pytest.raises(ParameterError):
        query(value)


def test_a_value_may_be_json_in_itself():
    assert query({"a": [1]}, content_type="application/json") == "color=%7B%22a%22%3A%5B1%5D%7D"
    field = Field("X-A", location="header", content_type="application/json")
    assert request(field, {"é": 1}).headers["X-A"] == '{"\\u00e9":1}'


@pytest.mark.parametrize(
    ("explode", "value", "text"),
    [(False, LIST, "blue,black,brown"), (True, OBJECT, "R=100,G=200,B=150")],
)
def test_headers(explode, value, text):
    field = Field("X-A", location="header", style="simple", explode=explode)
    assert request(field, value).headers["X-A"] == text


def test_cookies():
    field = Field("c", location="cookie", style="form", explode=True)
    assert request(field, ["a b", "c;d"]).headers["Cookie"] == "c=a%20b; c=c%3Bd"


@pytest.mark.parametrize("style", ["simple", "label", "matrix"])
@pytest.mark.parametrize("value", ["..", ".", "", None, [], {}])
def test_a_path_parameter_never_leaves_its_place(style, value):
    try:
        text = path(value, style)
    except ParameterError:
        return
    assert text not in ("", ".", "..")


def test_parameters_side_by_side_make_no_dot_segment():
    fields = [Field(name, True, "path", style="simple") for name in ("a", "b")]
    link = Link("https://a.example/{a}{b}/x", "delete", fields=fields)
    with pytest.raises(ParameterError, match="dot segment"):
        build_request(link, {"a": ".", "b": "."})
    assert build_request(link, {"a": ".a", "b": "b"}).url == "https://a.example/.ab/x"


def test_required_values_cannot_be_none():
    field = Field("q", True, "query", style="form", explode=True)
    with pytest.raises(ParameterError, match="required"):
        request(field, [])


# Bodies that are described.


def posted(media_type, fields, params, required=True):
    whole = Field("body", location="body")
    body = Body(media_type, (*fields, whole), required)
    link = Link("https://a.example/x", "post", media_type, fields=body.fields, bodies=[body])
    return build_request(link, params)


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (Field("a", location="form"), ["x", "y z"], b"a=x&a=y+z"),
        (Field("a", location="form"), {"b": 1}, b"a=%7B%22b%22%3A1%7D"),
        (Field("a", location="form", style="form", explode=False), ["x", "y"], b"a=x%2Cy"),
        (Field("a", location="form", style="deepObject"), {"b": 1}, b"a%5Bb%5D=1"),
        (Field("a", location="form", content_type="application/json"), [1], b"a=%5B1%5D"),
        (Field("a", location="form"), None, b""),
    ],
)
def test_urlencoded_bodies(field, value, text):
    assert posted(FORM, [field], {"a": value}).body == text
    assert posted(FORM, [field], {"body": {"a": value}}).body == text


def test_parts_have_types_and_headers():
    header = Field("X-Part", location="header", schema=JSONSchema({"const": "p"}))
    fields = [
        Field("meta", location="form", headers=(header,)),
        Field("file", location="form", content_type="image/png, image/jpeg"),
        Field("xml", location="form", content_type="text/xml"),
    ]
    params = {"meta": {"a": 1}, "file": File("a.png", b"\x89"), "xml": "<a/>"}
    body = posted("multipart/form-data", fields, params).body
    assert b'name="meta"\r\nContent-Type: application/json\r\nX-Part: p\r\n\r\n{"a":1}' in body
    assert b'filename="a.png"\r\nContent-Type: image/png\r\n\r\n\x89' in body
    assert b'name="xml"\r\nContent-Type: text/xml\r\n\r\n<a/>' in body


@pytest.mark.parametrize(
    ("media_type", "value", "body", "content_type"),
    [
        ("text/plain", "a", b"a", "text/plain"),
        ("text/plain", "é", "é".encode(), "text/plain; charset=utf-8"),
        ("application/xml", "<a/>", b"<a/>", "application/xml"),
        ("image/png", b"\x89", b"\x89", "image/png"),
        ("image/*", File("a.png", b"\x89"), b"\x89", "image/png"),
        ("application/vnd.a+json", {"a": None}, b'{"a":null}', "application/vnd.a+json"),
        ("application/x-ndjson", [{"a": 1}, 2], b'{"a":1}\n2\n', "application/x-ndjson"),
        ("*/*", {"a": 1}, b'{"a":1}', "application/json"),
    ],
)
def test_other_bodies(media_type, value, body, content_type):
    made = posted(media_type, [], {"body": value})
    assert (made.body, made.headers["Content-Type"]) == (body, content_type)


def test_a_required_body_of_optional_parts_is_an_empty_object():
    fields = [Field("a", location="form")]
    assert posted("application/json", fields, {}).body == b"{}"
    assert posted("application/json", fields, {}, required=False).body is None


def test_a_whole_body_brings_what_is_required():
    fields = [Field("a", True, "form")]
    assert posted("application/json", fields, {"body": {"a": 1}}).body == b'{"a":1}'
    with pytest.raises(ParameterError, match="a: This parameter is required"):
        posted("application/json", fields, {})


@pytest.mark.parametrize("media_type", ["text/plain\r\nX: 1", "application/json\n+json"])
def test_media_types_cannot_break_out(media_type):
    with pytest.raises(LintelError):
        posted(media_type, [], {"body": "a"})


def test_answers_are_asked_for_by_type():
    link = Link("https://a.example/x", accept=["application/vnd.a+json", "bad\r\nX: 1"])
    assert build_request(link).headers["Accept"] == "application/vnd.a+json, */*;q=0.1"
