"""Status codes: the five classes, and every name with its number."""

import http

import pytest

from lintel import status

CLASSES = [
    (status.is_informational, 100),
    (status.is_success, 200),
    (status.is_redirect, 300),
    (status.is_client_error, 400),
    (status.is_server_error, 500),
]


@pytest.mark.parametrize(("belongs", "first"), CLASSES)
def test_a_class_holds_its_hundred_and_nothing_else(belongs, first):
    assert belongs(first)
    assert belongs(first + 99)
    assert not belongs(first - 1)
    assert not belongs(first + 100)


def test_the_name_of_a_code_holds_its_number():
    names = [name for name in vars(status) if name.startswith("HTTP_")]
    assert len(names) > 60
    for name in names:
        assert name.split("_")[1] == str(getattr(status, name))


def test_the_codes_of_the_standard_library_have_names():
    known = {value for name, value in vars(status).items() if name.startswith("HTTP_")}
    assert {code.value for code in http.HTTPStatus} <= known
