"""Exceptions: details with codes at any depth, and the texts of each kind."""

import copy
import pickle

import pytest
from django.core.exceptions import ValidationError as DjangoError
from django.utils.translation import gettext_lazy

from lintel import exceptions
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.utils.serializer_helpers import ReturnDict, ReturnList


def test_error_detail_equals_its_text_and_compares_codes_with_its_like():
    assert ErrorDetail("no", code="a") == "no"
    assert ErrorDetail("no", code="a") == ErrorDetail("no", code="a")
    assert ErrorDetail("no", code="a") != ErrorDetail("no", code="b")
    assert {ErrorDetail("no", code="a"): 1}["no"] == 1


def test_error_detail_survives_pickle_and_copy():
    detail = ErrorDetail("no", code="a")
    assert pickle.loads(pickle.dumps(detail)).code == "a"
    assert copy.deepcopy(detail).code == "a"
    assert repr(detail) == "ErrorDetail(string='no', code='a')"


def test_texts_at_any_depth_get_the_code_and_keep_the_shape():
    error = ValidationError({"f": ["a", {"g": ErrorDetail("b", "own")}]}, code="mine")
    assert error.detail == {"f": ["a", {"g": "b"}]}
    assert error.get_codes() == {"f": ["mine", {"g": "own"}]}
    assert error.get_full_details() == {
        "f": [{"message": "a", "code": "mine"}, {"g": {"message": "b", "code": "own"}}]
    }


@pytest.mark.parametrize(
    ("given", "detail"),
    [("one", ["one"]), (("a", "b"), ["a", "b"]), ([], []), ({}, {}), (0, ["0"])],
)
def test_the_detail_of_a_validation_error_is_a_list_or_mapping(given, detail):
    assert ValidationError(given).detail == detail


def test_errors_of_django_in_a_detail_keep_their_own_code_even_none():
    detail = [DjangoError("a", code="own"), DjangoError("b"), "c"]
    assert ValidationError(detail, code="mine").get_codes() == ["own", None, "mine"]


def test_lazy_text_is_resolved_when_the_error_is_made():
    (text,) = ValidationError(gettext_lazy("words")).detail
    assert type(text) is ErrorDetail


def test_data_of_a_serializer_keeps_its_serializer():
    assert ValidationError(ReturnDict({"a": ["b"]}, serializer=5)).detail.serializer == 5
    assert ValidationError(ReturnList(["b"], serializer=6)).detail.serializer == 6


def test_texts_name_what_was_refused():
    assert exceptions.MethodNotAllowed("BREW").detail == 'Method "BREW" not allowed.'
    assert exceptions.MethodNotAllowed("BREW", detail="No {method}.").detail == "No {method}."
    expected = 'Unsupported media type "a{b}" in request.'
    assert exceptions.UnsupportedMediaType("a{b}").detail == expected
    assert exceptions.NotAcceptable(available_renderers=[1]).available_renderers == [1]


@pytest.mark.parametrize(
    ("wait", "text"),
    [
        (None, "Request was throttled."),
        (0, "Request was throttled. Expected available in 0 seconds."),
        (0.2, "Request was throttled. Expected available in 1 second."),
        (59.1, "Request was throttled. Expected available in 60 seconds."),
    ],
)
def test_throttled_counts_whole_seconds(wait, text):
    assert exceptions.Throttled(wait).detail == text


def test_own_exceptions_set_their_defaults():
    class Teapot(exceptions.APIException):
        status_code = 418
        default_detail = "Short and stout."
        default_code = "teapot"

    assert Teapot().detail.code == "teapot"
    assert Teapot("x", "y").get_full_details() == {"message": "x", "code": "y"}


def test_error_views_answer_in_json(rf):
    failed = exceptions.server_error(rf.get("/"))
    assert (failed.status_code, failed.content) == (500, b'{"error": "Server Error (500)"}')
    refused = exceptions.bad_request(rf.get("/"), ValueError())
    assert (refused.status_code, refused.content) == (400, b'{"error": "Bad Request (400)"}')


def test_names_of_a_subclass_are_its_own():
    class Busy(exceptions.Throttled):
        extra_detail_singular = "One {wait}."
        extra_detail_plural = "Many {wait}."

        def _hint(self):
            raise NotImplementedError

    assert [str(Busy(wait=wait).detail) for wait in (1, 2)] == [
        "Request was throttled. One 1.",
        "Request was throttled. Many 2.",
    ]


def test_a_validation_error_takes_no_arguments_of_a_class_beside_it():
    class Coded(exceptions.APIException):
        def __init__(self, number, detail=None):
            self.number = number
            super().__init__(detail)

    class Both(ValidationError, Coded):
        pass

    assert Both("text").detail == ["text"]
