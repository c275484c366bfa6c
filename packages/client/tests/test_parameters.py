import io

import pytest

from lintel_client.errors import ParameterError
from lintel_client.files import File
from lintel_client.parameters import FORM, MULTIPART, OCTET_STREAM, UNSET, sort_parameters
from lintel_document import Array, Field, Link, Object


def link(*fields, action="post", url="/x/", encoding=""):
    return Link(url, action, encoding, fields=list(fields))


def errors(given, params, **options):
    with pytest.raises(ParameterError) as caught:
        sort_parameters(given, params, **options)
    return caught.value.errors


def test_each_location_gets_its_values():
    given = link(
        Field("p", location="path"),
        Field("q", location="query"),
        Field("X-H", location="header"),
        Field("c", location="cookie"),
        Field("f", location="form"),
        Field("b", location="body"),
        url="/{p}/",
    )
    found = sort_parameters(given, {"p": 1, "q": "2", "X-H": "3", "c": 4, "f": 5, "b": [6]})
    assert found.path == {"p": "1"}
    assert found.query == [("q", "2")]
    assert found.headers == [("X-H", "3")]
    assert found.cookies == [("c", "4")]
    assert found.form == {"f": 5}
    assert found.body == [6]


@pytest.mark.parametrize("action", ["", "get", "GET", "delete", "head"])
def test_the_default_location_is_the_query_for_methods_without_a_body(action):
    assert sort_parameters(link("a", action=action), {"a": 1}).query == [("a", "1")]


@pytest.mark.parametrize("action", ["post", "put", "patch"])
def test_the_default_location_is_the_form_for_others(action):
    assert sort_parameters(link("a", action=action), {"a": 1}).form == {"a": 1}
    odd = link(Field("a", location="nowhere"), action=action)
    assert sort_parameters(odd, {"a": 1}).form == {"a": 1}


def test_all_errors_are_reported_at_once():
    given = link(Field("need", required=True), Field("also", required=True), "limit", "q")
    found = errors(given, {"limt": 1, "zzz": 2, "q": object()})
    assert found == {
        "need": "This parameter is required.",
        "also": "This parameter is required.",
        "limt": "Unknown parameter. Did you mean limit?",
        "zzz": "Unknown parameter. Known parameters: also, limit, need, q.",
        "q": "A value of type object cannot be sent as JSON.",
    }


def test_a_link_without_parameters_says_so():
    assert errors(link(), {"a": 1}) == {"a": "Unknown parameter. Known parameters: none."}


def test_without_validation_unknown_names_travel_and_required_ones_may_miss():
    given = link(Field("need", required=True))
    assert sort_parameters(given, {"a": 1}, validate=False).form == {"a": 1}
    assert sort_parameters(link(action="get"), {"a": 1}, validate=False).query == [("a", "1")]


def test_a_url_with_a_hole_is_never_built():
    given = link(Field("id", location="path"), url="/{id}/")
    required = {"id": "This parameter is required."}
    assert errors(given, {}) == errors(given, {}, validate=False) == required
    assert errors(link(url="/{id}/"), {}) == required
    assert sort_parameters(link(url="/x{?page}"), {}).path == {}


def test_variables_of_the_url_are_parameters_without_a_field():
    assert sort_parameters(link(url="/{id}/"), {"id": 4}).path == {"id": "4"}


def test_nameless_fields_ask_for_nothing():
    assert sort_parameters(link(Field("", required=True)), {}).form == {}


def test_a_name_in_two_places_goes_to_both():
    given = link(
        Field("name", True, "path"), Field("name", False, "form"), url="/{name}/", action="put"
    )
    found = sort_parameters(given, {"name": "a"})
    assert (found.path, found.form) == ({"name": "a"}, {"name": "a"})


def test_a_place_can_be_named_with_the_name():
    given = link(Field("id", True, "path"), Field("id", True, "form"), url="/{id}/", action="put")
    found = sort_parameters(given, {"form.id": 2, "id": 1})
    assert (found.path, found.form) == ({"id": "1"}, {"id": 2})
    found = sort_parameters(given, {"path.id": 1, "form.id": 2})
    assert (found.path, found.form) == ({"id": "1"}, {"id": 2})
    assert errors(given, {"path.id": 1}) == {"id": "This parameter is required."}


def test_a_name_with_a_dot_is_a_name_first():
    given = link("query.a", "a", action="get")
    assert sort_parameters(given, {"query.a": 1}).query == [("query.a", "1")]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("a", ["a"]),
        ("", [""]),
        (None, [""]),
        (True, ["true"]),
        (False, ["false"]),
        (0, ["0"]),
        (1.5, ["1.5"]),
        ([1, True, "x"], ["1", "true", "x"]),
        (Array([1, 2]), ["1", "2"]),
        ((), []),
    ],
)
def test_values_in_a_query(value, texts):
    found = sort_parameters(link("a", action="get"), {"a": value})
    assert found.query == [("a", text) for text in texts]


@pytest.mark.parametrize("location", ["path", "query", "header", "cookie", "form"])
@pytest.mark.parametrize("value", [{"a": 1}, [[1]], io.BytesIO(), b"x", "\ud800"])
def test_values_that_have_no_text(location, value):
    given = link(Field("a", location=location), url="/{a}/", encoding=FORM)
    assert "a" in errors(given, {"a": value})


@pytest.mark.parametrize("value", ["", None, [], ["", ""]])
def test_a_path_parameter_must_not_be_empty(value):
    given = link(Field("id", location="path"), url="/{id}/")
    assert errors(given, {"id": value}) == {"id": "This parameter must not be empty."}


@pytest.mark.parametrize("value", [".", ".."])
def test_a_path_parameter_must_not_climb(value):
    assert "dot segment" in errors(link(url="/{id}/"), {"id": value})["id"]


def test_a_path_parameter_needs_a_place():
    given = link(Field("id", location="path"))
    assert errors(given, {"id": 1}) == {
        "id": "The URL of the link has no place for this parameter."
    }


def test_objects_fit_where_the_template_spreads_them():
    assert sort_parameters(link(url="/x{;a*}"), {"a": {"b": 1}}).path == {"a": {"b": "1"}}


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "a b"])
def test_headers_that_frame_the_message_cannot_be_set(name):
    assert name in errors(link(Field(name, location="header")), {name: "1"})


def test_headers_cannot_be_injected():
    given = link(Field("X-A", location="header"), Field("c", location="cookie"))
    assert list(errors(given, {"X-A": "a\r\nX-Evil: 1"})) == ["X-A"]


def test_lists_in_a_header_are_joined():
    given = link(Field("X-A", location="header"))
    assert sort_parameters(given, {"X-A": [1, 2]}).headers == [("X-A", "1,2")]


def test_json_takes_any_json():
    value = {"a": [1, None, True, 1.5, "é", {}]}
    found = sort_parameters(link(Field("b", location="body")), {"b": value})
    assert found.body == value
    tree = Object(a=[{"b": 1}])
    found = sort_parameters(link("f"), {"f": tree})
    assert type(found.form["f"]) is dict
    assert type(found.form["f"]["a"]) is list


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        {1: 2},
        {"a": object()},
        b"x",
        File("a", b""),
        "\udc00",
        {"\udc00": 1},
    ],
)
def test_json_refuses_all_else(value):
    assert "f" in errors(link("f"), {"f": value})


def test_endless_values_are_refused():
    endless = []
    endless.append(endless)
    assert "f" in errors(link("f"), {"f": endless})


@pytest.mark.parametrize("value", [{}, [], 0, False, None, ""])
def test_a_falsy_body_is_a_body(value):
    found = sort_parameters(link(Field("b", location="body")), {"b": value})
    assert found.body == value
    assert found.body is not UNSET


def test_no_body_is_told_from_null():
    assert sort_parameters(link(Field("b", location="body")), {}).body is UNSET
    assert repr(UNSET) == "UNSET"


def test_multipart_takes_files_and_lists_of_them():
    file = File("a", b"x")
    given = link("f", "g", encoding=MULTIPART)
    assert sort_parameters(given, {"f": file, "g": [file, 1]}).form == {"f": file, "g": [file, "1"]}


@pytest.mark.parametrize("encoding", [FORM, MULTIPART])
def test_the_body_of_a_form_must_be_an_object(encoding):
    given = link(Field("b", location="body"), encoding=encoding)
    assert sort_parameters(given, {"b": {"a": 1}}).body == {"a": "1"}
    assert errors(given, {"b": [1]}) == {"b": "The body of a form must be an object."}


def test_an_upload_must_be_one_file():
    given = link("f", "g", encoding=OCTET_STREAM)
    assert errors(given, {"f": "text"}) == {"f": "This parameter must be a file."}
    assert set(errors(given, {"f": b"1", "g": b"2"})) == {"f", "g"}
    assert sort_parameters(given, {"f": b"1"}).form == {"f": b"1"}
