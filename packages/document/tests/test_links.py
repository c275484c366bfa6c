import copy
import pickle

import pytest

from lintel_document import Field, Link, schemas


def test_missing_texts_are_empty():
    link = Link()
    assert (link.url, link.action, link.encoding, link.transform) == ("", "", "", "")
    assert (link.title, link.description, link.fields) == ("", "", ())


def test_a_name_is_an_optional_field_without_location():
    assert Link(fields=["a"]).fields == (Field("a"),)
    field = Link(fields=["a"]).fields[0]
    assert (field.required, field.location, field.schema) == (False, "", None)


@pytest.mark.parametrize("name", ["url", "action", "encoding", "transform", "title", "description"])
def test_texts_must_be_strings(name):
    with pytest.raises(TypeError, match=f"Link: '{name}' must be a string, not bytes"):
        Link(**{name: b"x"})


@pytest.mark.parametrize("fields", ["abc", {"a": 1}, [1], [{"name": "a"}]])
def test_fields_must_be_a_list_of_fields_or_names(fields):
    with pytest.raises(TypeError, match="Link: 'fields'"):
        Link(fields=fields)


@pytest.mark.parametrize(
    "arguments", [{"name": 1}, {"name": "a", "required": "yes"}, {"name": "a", "location": None}]
)
def test_field_arguments_are_checked(arguments):
    with pytest.raises(TypeError, match="Field"):
        Field(**arguments)


def test_titles_and_the_order_of_fields_do_not_count():
    one = Link("/", title="A", fields=["a", Field("b", required=True)])
    two = Link("/", title="B", fields=[Field("b", required=True), "a"])
    assert one == two


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "/other/"},
        {"action": "put"},
        {"encoding": "text/plain"},
        {"transform": "new"},
        {"description": "d"},
        {"fields": []},
        {"fields": ["a", "a"]},
        {"fields": [Field("a", schema=schemas.String())]},
    ],
)
def test_all_else_counts(changes):
    link = Link("/", "get", fields=["a"])
    assert link.replace(**changes) != link
    assert link != "link"


def test_fields_of_one_name_compare_by_position():
    path, form = Field("id", location="path"), Field("id", location="form")
    assert Link(fields=[path, form]) == Link(fields=[path, form])
    assert Link(fields=[path, form]) != Link(fields=[form, path])
    assert Link(fields=[path, "x", form]) == Link(fields=["x", path, form])


def test_replace_checks_like_the_constructor():
    link = Link("/", "get", fields=["a"])
    assert link.replace(action="put").action == "put"
    assert link.replace(action="put").fields == link.fields
    with pytest.raises(TypeError):
        link.replace(action=1)
    with pytest.raises(TypeError):
        link.replace(colour="red")


def test_fields_cannot_change():
    with pytest.raises(AttributeError):
        Field("a").name = "b"


def test_copies_and_pickles_are_equal():
    schema = schemas.Object(properties={"x": schemas.Integer()})
    link = Link("/x", "post", fields=[Field("a", True, "form", schema)])
    assert pickle.loads(pickle.dumps(link)) == link
    assert copy.deepcopy({"link": link})["link"] is link
    assert copy.deepcopy(link.fields[0]) == link.fields[0]


def test_repr_leaves_out_what_is_empty():
    assert repr(Link("/x", "get")) == "Link(url='/x', action='get')"
