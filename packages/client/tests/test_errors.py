import pickle

import pytest

from lintel_client import errors
from lintel_client.errors import ErrorMessage, LintelError, ParameterError
from lintel_client.headers import Headers
from lintel_client.refusals import ParameterNames
from lintel_document import Error


def test_all_errors_share_one_root():
    classes = [getattr(errors, name) for name in errors.__all__]
    for cls in classes:
        assert issubclass(cls, LintelError) or cls is errors.IncompleteList


def test_parameter_errors_are_data_and_text():
    error = ParameterError({"a": "Missing.", "b": "Unknown."})
    assert error.errors == {"a": "Missing.", "b": "Unknown."}
    assert str(error) == "a: Missing.; b: Unknown."
    assert pickle.loads(pickle.dumps(error)).errors == error.errors


def test_messages_are_listed_by_name():
    error = Error(
        "400 Bad Request", {"a": ["x", "y"], "b": "z", "c": {"d": ["w"]}, "e": 5, "f": []}
    )
    message = ErrorMessage(error, 400)
    assert message.messages == {"a": ["x", "y"], "b": ["z"], "c": ["d: w"]}
    assert str(message) == "400 Bad Request\na: x\na: y\nb: z\nc: d: w"


@pytest.mark.parametrize("kind", [errors.LinkLookupError, errors.OAuth2Error, errors.ParseError])
def test_texts_of_others_do_not_act_on_terminals(kind):
    assert str(kind("no \x1b]0;x\x07 \x9b31m \u202e key\n\tnext")) == (
        "no \ufffd]0;x\ufffd \ufffd31m \ufffd key\n\tnext"
    )
    assert "\x1b" not in str(ParameterError({"\x1b[2J": "Unknown."}))
    assert str(ErrorMessage(Error("4\x1b", {"a\x9b": "\u202eb"}))) == "4\ufffd\na\ufffd: \ufffdb"


def test_an_empty_error_has_a_text():
    assert str(ErrorMessage(Error())) == "The server responded with an error"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("30", 30),
        ("", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("-1", None),
        ("9" * 5000, None),
    ],
)
def test_seconds_to_wait(value, seconds):
    headers = Headers({"Retry-After": value} if value else {})
    assert ErrorMessage(Error(), 429, headers=headers).retry_after == seconds


@pytest.mark.parametrize(
    ("status", "kind", "family"),
    [
        (400, errors.InvalidInput, errors.ClientError),
        (401, errors.NotAuthenticated, errors.ClientError),
        (403, errors.PermissionDenied, errors.ClientError),
        (404, errors.NotFound, errors.ClientError),
        (409, errors.Conflict, errors.ClientError),
        (410, errors.NotFound, errors.ClientError),
        (412, errors.Conflict, errors.ClientError),
        (418, errors.ClientError, errors.ClientError),
        (422, errors.InvalidInput, errors.ClientError),
        (429, errors.TooManyRequests, errors.ClientError),
        (500, errors.ServerError, errors.ServerError),
        (503, errors.Unavailable, errors.ServerError),
        (200, ErrorMessage, ErrorMessage),
    ],
)
def test_the_class_tells_the_family(status, kind, family):
    assert errors.error_class(status) is kind
    assert issubclass(kind, family)


def test_a_date_to_wait_for_counts_from_the_answer_s_own():
    headers = Headers(
        {"Date": "Wed, 21 Oct 2026 07:27:00 GMT", "Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}
    )
    assert ErrorMessage(Error(), 503, headers=headers).retry_after == 60


def test_errors_travel_between_processes():
    names = ParameterNames(("a",), "body")
    error = errors.NotFound(
        Error("t", {"a": ["b"]}), 404, "r", Headers({"A": "b"}), "u", b"c", names
    )
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is errors.NotFound
    assert (copied.status, copied.content, copied.names) == (404, b"c", names)
    assert copied.headers.pairs() == (("A", "b"),)
    assert copied.messages == {"a": ["b"]}


def test_the_number_of_a_request():
    headers = Headers({"x-request-id": "r1"})
    assert ErrorMessage(Error(), 500, headers=headers).request_id == "r1"
    assert ErrorMessage(Error(), 500).request_id is None


def test_texts_are_bounded_however_many_messages_there_are():
    many = Error("400", {str(at): ["x" * 50] * 3 for at in range(1_000)})
    assert len(str(ErrorMessage(many))) < 11_000
    assert len(ErrorMessage(many).messages) == 1_000
    place = "/" + "a/" * 50_000
    listed = Error("400", {"errors": [{"pointer": place, "detail": "x"}] * 1_000})
    headers = Headers({"Content-Type": "application/problem+json"})
    assert len(str(ErrorMessage(listed, headers=headers))) < 11_000
    assert len(str(errors.LinkLookupError("x" * 100_000))) == 10_001


def test_messages_may_be_nested_deeply():
    value = "deep"
    for _ in range(100):
        value = {"a": value, "b": ["near"]}
    message = ErrorMessage(Error("400", {"x": value}))
    assert "x: b: near" in str(message)
    assert "deep" not in str(message)


def test_a_list_of_errors_takes_the_place_of_the_detail():
    headers = Headers({"Content-Type": "application/problem+json"})
    content = {"detail": "two", "errors": [{"pointer": "/a", "detail": "x"}]}
    assert ErrorMessage(Error("400", content), headers=headers).messages == {"a": ["x"]}
    alone = Error("400", {"detail": "two", "errors": []})
    assert ErrorMessage(alone, headers=headers).messages == {"detail": ["two"]}
