"""Fields whose value is text, and UUIDs."""

import re
import uuid
from typing import Any, cast

from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import (
    EmailValidator,
    ProhibitNullCharactersValidator,
    RegexValidator,
    URLValidator,
    ip_address_validators,
)
from django.utils.ipv6 import clean_ipv6_address
from django.utils.translation import gettext_lazy as _

from lintel.fields.base import Field, Validator, add_limits, empty
from lintel.fields.describing import Schema, ViewSchema
from lintel.fields.types import Native, Primitive
from lintel.marks import inlinable
from lintel.validators import ProhibitSurrogateCharactersValidator

_SLUG = re.compile(r"^[-a-zA-Z0-9_]+$")
_UNICODE_SLUG = re.compile(r"^[-\w]+\Z", re.UNICODE)


#: The formats that validators check when values are sent.
CHECKED_FORMATS = frozenset(["email", "uri"])


class CharField(Field):
    """Text; numbers are accepted and written out.

    ``allow_blank``: "" is valid. ``trim_whitespace``: strip whitespace (the default).
    ``max_length``, ``min_length``: in characters, after trimming.
    """

    metadata_type = "string"
    column_types = ["CharField", "TextField", "CommaSeparatedIntegerField"]
    column_options = ("allow_blank",)

    default_error_messages = {
        "invalid": _("Not a valid string."),
        "blank": _("This field may not be blank."),
        "max_length": _("Ensure this field has no more than {max_length} characters."),
        "min_length": _("Ensure this field has at least {min_length} characters."),
    }
    initial = ""

    def __init__(self, **kwargs: Any) -> None:
        self.allow_blank: bool = kwargs.pop("allow_blank", False)
        self.trim_whitespace: bool = kwargs.pop("trim_whitespace", True)
        self.max_length: int | None = kwargs.pop("max_length", None)
        self.min_length: int | None = kwargs.pop("min_length", None)
        super().__init__(**kwargs)
        add_limits(self, "max_length", "min_length")
        self.validators.append(ProhibitNullCharactersValidator())
        self.validators.append(ProhibitSurrogateCharactersValidator())

    @inlinable("text", "allow_blank", "trim_whitespace")
    def run_validation(self, data: Primitive = empty) -> Native:
        """Validate; blank text is handled here, so that subclasses never convert it."""
        if isinstance(data, str) and not (data.strip() if self.trim_whitespace else data):
            if not self.allow_blank and not self.read_only:
                self.fail("blank")
            return ""
        return super().run_validation(data)

    @inlinable("text", "trim_whitespace")
    def to_internal_value(self, data: Primitive) -> str:
        """Return text unchanged and numbers as text; a bool is not a number here."""
        if isinstance(data, bool) or not isinstance(data, str | int | float):
            self.fail("invalid")
        try:
            text = str(data)
        except ValueError:  # more digits than sys.get_int_max_str_digits()
            self.fail("invalid")
        return text.strip() if self.trim_whitespace else text

    @inlinable("text")
    def to_representation(self, value: Native) -> str:
        return str(value)

    def describe_values(self, schema: ViewSchema) -> Schema:
        described: Schema = {"type": "string"}
        # What is stored may be older than a rule, or come from elsewhere.
        is_stored = schema.document_form.receives and self.parent is not None
        if not (self.allow_blank or self.read_only or is_stored):
            described["minLength"] = 1
        if self.schema_format and not (is_stored and self.schema_format in CHECKED_FORMATS):
            described["format"] = self.schema_format
        return described


class EmailField(CharField):
    """An e-mail address, validated by Django's EmailValidator."""

    metadata_type = "email"
    form_style = {"base_template": "input.html", "input_type": "email"}
    schema_format = "email"
    column_types = ["EmailField"]

    default_error_messages = {"invalid": _("Enter a valid email address.")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(EmailValidator(message=self.error_messages["invalid"]))


class RegexField(CharField):
    """Text with a match of ``regex`` (text or compiled); ``^`` and ``$`` anchor the pattern."""

    metadata_type = "regex"

    default_error_messages = {"invalid": _("This value does not match the required pattern.")}

    def __init__(self, regex: str | re.Pattern[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(RegexValidator(regex, message=self.error_messages["invalid"]))


class SlugField(CharField):
    """Letters, digits, hyphens and underscores; ``allow_unicode``: letters of any script."""

    metadata_type = "slug"
    column_types = ["SlugField"]

    default_error_messages = {
        "invalid": _(
            'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'
        ),
        "invalid_unicode": _(
            'Enter a valid "slug" consisting of Unicode letters, numbers, underscores, or hyphens.'
        ),
    }

    def __init__(self, allow_unicode: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allow_unicode = allow_unicode
        pattern, key = (_UNICODE_SLUG, "invalid_unicode") if allow_unicode else (_SLUG, "invalid")
        self.validators.append(RegexValidator(pattern, message=self.error_messages[key]))


class URLField(CharField):
    """An absolute URL, validated by Django's URLValidator."""

    metadata_type = "url"
    form_style = {"base_template": "input.html", "input_type": "url"}
    schema_format = "uri"
    column_types = ["URLField"]

    default_error_messages = {"invalid": _("Enter a valid URL.")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validators.append(URLValidator(message=self.error_messages["invalid"]))


class IPAddressField(CharField):
    """An IP address in its shortest form. ``protocol``: "both", "IPv4" or "IPv6".

    With "both", an IPv4 address inside IPv6 (``::ffff:127.0.0.1``) becomes the IPv4 address.
    """

    column_types = ["GenericIPAddressField"]
    default_error_messages = {"invalid": _("Enter a valid IPv4 or IPv6 address.")}

    def __init__(self, protocol: str = "both", **kwargs: Any) -> None:
        self.protocol: str = protocol.lower()
        self.unpack_ipv4: bool = self.protocol == "both"
        super().__init__(**kwargs)
        validators = ip_address_validators(protocol, self.unpack_ipv4)
        # The types of Django know the pair that this once returned.
        self.validators.extend(cast("list[Validator]", validators))

    @inlinable("ip_address", "protocol", "unpack_ipv4", "trim_whitespace")
    def to_internal_value(self, data: Primitive) -> str:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        if ":" in data and self.protocol in ("both", "ipv6"):
            try:
                return str(clean_ipv6_address(data, self.unpack_ipv4))
            except DjangoValidationError:
                self.fail("invalid", value=data)
        return super().to_internal_value(data)

    def describe_values(self, schema: ViewSchema) -> Schema:
        return {"type": "string", **({} if self.protocol == "both" else {"format": self.protocol})}

    describe_in_contract = describe_values


class UUIDField(Field):
    """A UUID (RFC 9562); ``format`` of the output: "hex_verbose", "hex", "int" or "urn"."""

    metadata_type = "string"
    schema_format = "uuid"
    column_types = ["UUIDField"]

    valid_formats: tuple[str, str, str, str] = ("hex_verbose", "hex", "int", "urn")
    default_error_messages = {"invalid": _("Must be a valid UUID.")}

    def __init__(self, **kwargs: Any) -> None:
        self.uuid_format: str = kwargs.pop("format", "hex_verbose")
        if self.uuid_format not in self.valid_formats:
            formats = ", ".join(f'"{name}"' for name in self.valid_formats)
            raise ValueError(f"Invalid format for uuid representation. Must be one of {formats}")
        super().__init__(**kwargs)

    @inlinable("uuid")
    def to_internal_value(self, data: Primitive) -> uuid.UUID:
        if isinstance(data, uuid.UUID):
            return data
        try:
            if isinstance(data, int):
                return uuid.UUID(int=data)
            if isinstance(data, str):
                return uuid.UUID(hex=data)
        except ValueError:
            pass
        return self.fail("invalid", value=data)

    @inlinable("uuid", "uuid_format")
    def to_representation(self, value: Native) -> str | int:
        if self.uuid_format == "hex_verbose":
            return str(value)
        return getattr(value, self.uuid_format)

    def describe_values(self, schema: ViewSchema) -> Schema:
        if self.uuid_format == "int":
            return {"type": "integer"}
        if self.uuid_format == "hex_verbose":
            return {"type": "string", "format": "uuid"}
        return {"type": "string"}
