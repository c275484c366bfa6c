"""File fields: names, sizes, addresses."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory, override_settings
from PIL import Image

from lintel import fields, serializers


def codes(field: fields.Field, value: Any) -> Any:
    holder = type("Holder", (serializers.Serializer,), {"f": field})(data={"f": value})
    assert not holder.is_valid()
    return [error.code for error in holder.errors["f"]]


def image(name: str) -> SimpleUploadedFile:
    buffer = io.BytesIO()
    Image.new("RGB", (1, 1)).save(buffer, "PNG")
    return SimpleUploadedFile(name, buffer.getvalue())


STORED = SimpleNamespace(name="a.txt", url="/media/a.txt")


def test_file_is_handed_on() -> None:
    file = SimpleUploadedFile("a.txt", b"x")
    assert fields.FileField().run_validation(file) is file


@pytest.mark.parametrize(
    ("options", "given", "code"),
    [
        ({}, "a.txt", "invalid"),
        ({}, SimpleNamespace(name="", size=1), "no_name"),
        ({}, SimpleUploadedFile("a.txt", b""), "empty"),
        ({"max_length": 4}, SimpleUploadedFile("a.txt", b"x"), "max_length"),
    ],
)
def test_files_that_are_refused(options: dict[str, Any], given: Any, code: str) -> None:
    assert codes(fields.FileField(**options), given) == [code]


def test_address_or_name_by_setting() -> None:
    field = fields.FileField()
    assert field.to_representation(STORED) == "/media/a.txt"
    with override_settings(REST_FRAMEWORK={"UPLOADED_FILES_USE_URL": False}):
        assert field.to_representation(STORED) == "a.txt"
        assert fields.FileField(use_url=True).to_representation(STORED) == "/media/a.txt"
    assert field.to_representation(None) is None
    assert field.to_representation(SimpleNamespace(name="a.txt")) is None


def test_address_is_absolute_where_there_is_a_request() -> None:
    field = fields.FileField()
    field._context = {"request": RequestFactory().get("/")}  # type: ignore[attr-defined]
    assert field.to_representation(STORED) == "http://testserver/media/a.txt"


def test_image_is_checked() -> None:
    file = fields.ImageField().run_validation(image("a.png"))
    assert file.image.format == "PNG"
    assert codes(fields.ImageField(), image("a.txt")) == ["invalid_extension"]
    assert codes(fields.ImageField(), SimpleUploadedFile("a.png", b"x")) == ["invalid_image"]
    assert codes(fields.ImageField(), SimpleNamespace(name="a.png", size=1)) == ["invalid"]


def test_own_message_for_images() -> None:
    field = fields.ImageField(error_messages={"invalid_image": "No picture"})
    with pytest.raises(DjangoValidationError, match="No picture"):
        field.run_validation(SimpleUploadedFile("a.png", b"x"))
