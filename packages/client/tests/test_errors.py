import pickle

import pytest

from lintel_client import errors
from lintel_client.errors import ErrorMessage, LintelError, ParameterError
from lintel_client.headers import Headers
from lintel_document import Error


def test_all_errors_share_one_root():
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), LintelError)


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


def test_an_empty_error_has_a_text():
    assert str(ErrorMessage(Error())) == "The server answered with an error"


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
