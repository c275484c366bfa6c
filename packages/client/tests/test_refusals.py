import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import Client, ErrorMessage, Headers
from lintel_client.refusals import ParameterNames, code_of, messages_by_name, text_of
from lintel_document import Document, Error, Field, Link

PROBLEM = "application/problem+json; charset=utf-8"


def messages(content, kind="application/json", given=(), body=""):
    return messages_by_name(Error("t", content), kind, ParameterNames(tuple(given), body))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {"title": ["Required."], "tags": {"0": ["Bad."]}},
            {"title": ["Required."], "tags": ["0: Bad."]},
        ),
        ({"detail": "Not found."}, {"detail": ["Not found."]}),
        ({"messages": ["Too many.", "Too few."]}, {"messages": ["Too many.", "Too few."]}),
        ({"messages": [{}, {"title": ["Required."]}]}, {"messages": ["1: title: Required."]}),
        ({"items": [{}, {"a": {"b": ["x"]}}]}, {"items": ["1: a: b: x"]}),
        ({"non_field_errors": ["No."]}, {"non_field_errors": ["No."]}),
    ],
)
def test_the_four_shapes_of_our_services(content, expected):
    assert messages(content) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, {"detail": ["Wrong."]}),
        (
            {"errors": [{"pointer": "#/address/city", "code": "required", "detail": "Missing."}]},
            {"address": ["city: Missing."]},
        ),
        ({"errors": [{"parameter": "page", "detail": "Bad."}]}, {"page": ["Bad."]}),
        ({"errors": [{"pointer": "/a~1b/0/c", "detail": "Bad."}]}, {"a/b": ["0: c: Bad."]}),
        ({"errors": [{"pointer": "#/caf%C3%A9", "detail": "Bad."}]}, {"café": ["Bad."]}),
        ({"errors": [{"pointer": "#", "detail": "Bad."}]}, {"non_field_errors": ["Bad."]}),
        ({"errors": [{"pointer": None, "detail": "Bad."}]}, {"non_field_errors": ["Bad."]}),
        ({"errors": {"name": ["Bad."]}}, {"name": ["Bad."]}),
        ({"invalid-params": [{"name": "age", "reason": "Negative."}]}, {"age": ["Negative."]}),
        ({"violations": [{"field": "age", "message": "Negative."}]}, {"age": ["Negative."]}),
        ({"errors": ["Plain."]}, {"messages": ["Plain."]}),
        ({"errors": [5, None, [], {}]}, {"non_field_errors": ["Invalid."]}),
        ({"errors": 5}, {"detail": ["Wrong."]}),
    ],
)
def test_problem_details(members, expected):
    content = {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": "Wrong."}
    assert messages({**content, **members}, PROBLEM) == expected
    assert text_of(Error("t", {**content, **members}), PROBLEM).splitlines()[0] == "t"


def test_names_are_those_of_the_caller():
    content = {"id": ["Gone."], "x-trace": ["Odd."], "title": ["Long."], "detail": "No."}
    given = ("path.id", "X-Trace", "title")
    assert messages(content, given=given) == {
        "path.id": ["Gone."],
        "X-Trace": ["Odd."],
        "title": ["Long."],
        "detail": ["No."],
    }


def test_what_concerns_a_whole_body_stands_under_its_name():
    given = {"given": ("id", "data"), "body": "data"}
    assert messages({"title": ["Long."], "id": ["Gone."], "detail": "No."}, **given) == {
        "data": ["title: Long."],
        "id": ["Gone."],
        "detail": ["No."],
    }
    assert messages({"messages": [{}, {"a": ["b"]}]}, **given) == {"data": ["1: a: b"]}
    pointed = {"errors": [{"pointer": "#/a/0", "detail": "Bad."}]}
    assert messages(pointed, PROBLEM, **given) == {"data": ["a: 0: Bad."]}


def test_a_call_knows_its_names(service):
    fields = [Field("id", True, "path"), Field("data", location="body")]
    document = Document(service.url(), content={"go": Link("/x/{id}/", "put", fields=fields)})
    service.answer("/x/1/", {"code": ["Blank."]}, status=400)
    with Client() as client, pytest.raises(ErrorMessage) as caught:
        client.action(document, "go", {"id": 1, "data": {"code": ""}})
    assert caught.value.messages == {"data": ["code: Blank."]}
    assert caught.value.content == b'{"code": ["Blank."]}'


@pytest.mark.parametrize(
    ("content", "kind", "code"),
    [
        ({"code": "not_found"}, "application/json", "not_found"),
        ({"code": 17}, "application/json", "17"),
        ({"code": ["This field may not be blank."]}, "application/json", None),
        ({"error": {"code": "E1", "message": "m"}}, "application/json", "E1"),
        ({"error": "invalid_grant"}, "application/json", "invalid_grant"),
        ({"error": "Something went wrong."}, "application/json", None),
        ({"type": "https://x.org/probs/out-of-credit"}, PROBLEM, "out-of-credit"),
        ({"type": "urn:x:throttled", "code": "late"}, PROBLEM, "late"),
        ({"type": "about:blank"}, PROBLEM, None),
        ({"type": "https://x.org/a"}, "application/json", None),
        ({"code": True}, "application/json", None),
    ],
)
def test_codes(content, kind, code):
    assert code_of(Error("t", content), kind) == code


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
problem_keys = st.sampled_from(["errors", "detail", "code", "type", "title", "violations", "error"])


@given(
    st.dictionaries(problem_keys | st.text(), json_values, max_size=6),
    st.sampled_from([PROBLEM, "application/json", ""]),
    st.lists(st.text(), max_size=3),
)
def test_any_content_has_messages_and_a_text(content, kind, given):
    error = ErrorMessage(
        Error("t", content),
        400,
        headers=Headers({"Content-Type": kind}),
        names=ParameterNames(tuple(given), given[0] if given else ""),
    )
    assert all(isinstance(text, str) for texts in error.messages.values() for text in texts)
    assert str(error).startswith("t")
    assert error.code is None or isinstance(error.code, str)
