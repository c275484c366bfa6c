"""Text fields: what the contract does not hold."""

import re
import uuid
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext_lazy

from lintel import fields
from lintel.exceptions import ValidationError
from lintel.fast.field_templates import clone


@pytest.mark.parametrize(
    ("options", "given", "value"),
    [({}, " a ", "a"), ({"trim_whitespace": False}, " a ", " a "), ({}, 1.5, "1.5")],
)
def test_trimming(options: dict[str, Any], given: Any, value: str) -> None:
    assert fields.CharField(**options).run_validation(given) == value


def test_blank_text_never_reaches_the_conversion() -> None:
    class Shouting(fields.CharField):
        def to_internal_value(self, data: Any) -> str:
            raise AssertionError("not called")

    assert Shouting(allow_blank=True).run_validation("  ") == ""
    with pytest.raises(ValidationError) as caught:
        Shouting().run_validation("")
    assert caught.value.get_codes() == ["blank"]


def test_own_messages_of_limits() -> None:
    field = fields.CharField(max_length=1, error_messages={"max_length": "Over {max_length}"})
    with pytest.raises(ValidationError, match="Over 1"):
        field.run_validation("ab")


def test_own_validators_come_first() -> None:
    field = fields.CharField(max_length=1, validators=[len])
    names = [
        getattr(validator, "__name__", type(validator).__name__) for validator in field.validators
    ]
    assert names == [
        "len",
        "MaxLengthValidator",
        "ProhibitNullCharactersValidator",
        "ProhibitSurrogateCharactersValidator",
    ]


def test_own_pattern_of_a_regex_field_is_kept_by_copies() -> None:
    pattern = re.compile("^a", re.IGNORECASE)
    assert clone(fields.RegexField(pattern)).run_validation("Abc") == "Abc"


def test_unknown_uuid_format() -> None:
    with pytest.raises(ValueError, match='"hex_verbose", "hex", "int", "urn"'):
        fields.UUIDField(format="base64")


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("hex_verbose", "00000000-0000-0000-0000-00000000000f"),
        ("hex", "0000000000000000000000000000000f"),
        ("int", 15),
        ("urn", "urn:uuid:00000000-0000-0000-0000-00000000000f"),
    ],
)
def test_uuid_formats(format: str, text: Any) -> None:
    assert fields.UUIDField(format=format).to_representation(uuid.UUID(int=15)) == text


def test_ip_address_inside_ipv6_is_unpacked_only_where_both_are_allowed() -> None:
    address = "::ffff:10.0.0.1"
    assert fields.IPAddressField().run_validation(address) == "10.0.0.1"
    assert fields.IPAddressField(protocol="IPv6").run_validation(address) == address
    with pytest.raises(ValueError, match="protocol"):
        fields.IPAddressField(protocol="IPX")


def test_messages_of_validators_follow_the_language_of_each_request() -> None:
    template = fields.CharField(max_length=1, error_messages={"max_length": gettext_lazy("Monday")})
    for language, text in (("de", "Montag"), ("fr", "lundi")):
        with translation.override(language), pytest.raises(ValidationError) as caught:
            clone(template).run_validation("ab")
        assert caught.value.detail == [text]
