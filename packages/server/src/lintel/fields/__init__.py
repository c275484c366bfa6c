"""Fields of serializers: between primitive input and output and Python values.

This module only re-exports names from the modules beside it.
"""

import contextlib
import copy
import datetime
import decimal
import functools
import inspect
import math
import re
import uuid
import warnings
from collections.abc import Mapping
from enum import Enum

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.validators import (
    EmailValidator,
    MaxLengthValidator,
    MaxValueValidator,
    MinLengthValidator,
    MinValueValidator,
    ProhibitNullCharactersValidator,
    RegexValidator,
    URLValidator,
    ip_address_validators,
)
from django.forms import FilePathField as DjangoFilePathField
from django.forms import ImageField as DjangoImageField
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_duration, parse_time
from django.utils.duration import duration_iso_string, duration_string
from django.utils.encoding import is_protected_type, smart_str
from django.utils.formats import localize_input, sanitize_separators
from django.utils.ipv6 import clean_ipv6_address
from django.utils.translation import gettext_lazy

from lintel import DJANGO_DURATION_FORMAT, ISO_8601
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields.attributes import BuiltinSignatureError, get_attribute, is_simple_callable
from lintel.fields.base import (
    MISSING_ERROR_MESSAGE,
    NOT_READ_ONLY_REQUIRED,
    NOT_READ_ONLY_WRITE_ONLY,
    NOT_REQUIRED_DEFAULT,
    REGEX_TYPE,
    USE_READONLYFIELD,
    CreateOnlyDefault,
    CurrentUserDefault,
    Field,
    SkipField,
    empty,
    get_error_detail,
)
from lintel.fields.choices import (
    BooleanField,
    ChoiceField,
    FilePathField,
    MultipleChoiceField,
    flatten_choices_dict,
    iter_options,
    to_choices_dict,
)
from lintel.fields.composite import (
    DictField,
    HStoreField,
    JSONField,
    ListField,
    _UnvalidatedField,
)
from lintel.fields.dates import DateField, DateTimeField, DurationField, TimeField
from lintel.fields.files import FileField, ImageField
from lintel.fields.numbers import BigIntegerField, DecimalField, FloatField, IntegerField
from lintel.fields.special import HiddenField, ModelField, ReadOnlyField, SerializerMethodField
from lintel.fields.text import (
    CharField,
    EmailField,
    IPAddressField,
    RegexField,
    SlugField,
    URLField,
    UUIDField,
)
from lintel.patches import carry_on_patches
from lintel.settings import api_settings
from lintel.utils import html, humanize_datetime, json, representation
from lintel.utils.formatting import lazy_format
from lintel.utils.timezone import valid_datetime
from lintel.validators import ProhibitSurrogateCharactersValidator

_ = gettext_lazy

__all__ = [
    # fields
    "Field",
    "BooleanField",
    "CharField",
    "EmailField",
    "RegexField",
    "SlugField",
    "URLField",
    "UUIDField",
    "IPAddressField",
    "IntegerField",
    "BigIntegerField",
    "FloatField",
    "DecimalField",
    "DateTimeField",
    "DateField",
    "TimeField",
    "DurationField",
    "ChoiceField",
    "MultipleChoiceField",
    "FilePathField",
    "FileField",
    "ImageField",
    "ListField",
    "DictField",
    "HStoreField",
    "JSONField",
    "ReadOnlyField",
    "HiddenField",
    "SerializerMethodField",
    "ModelField",
    # defaults and markers
    "empty",
    "SkipField",
    "CreateOnlyDefault",
    "CurrentUserDefault",
    # helpers
    "BuiltinSignatureError",
    "get_attribute",
    "get_error_detail",
    "is_simple_callable",
    "to_choices_dict",
    "flatten_choices_dict",
    "iter_options",
    # constants
    "MISSING_ERROR_MESSAGE",
    "NOT_READ_ONLY_REQUIRED",
    "NOT_READ_ONLY_WRITE_ONLY",
    "NOT_REQUIRED_DEFAULT",
    "REGEX_TYPE",
    "USE_READONLYFIELD",
    # names of other modules that packages import from here
    "DJANGO_DURATION_FORMAT",
    "ISO_8601",
    "ErrorDetail",
    "ProhibitSurrogateCharactersValidator",
    "ValidationError",
    "_UnvalidatedField",
    "api_settings",
    "html",
    "humanize_datetime",
    "json",
    "lazy_format",
    "representation",
    "valid_datetime",
    "DjangoFilePathField",
    "DjangoImageField",
    "DjangoValidationError",
    "EmailValidator",
    "Enum",
    "Mapping",
    "MaxLengthValidator",
    "MaxValueValidator",
    "MinLengthValidator",
    "MinValueValidator",
    "ObjectDoesNotExist",
    "ProhibitNullCharactersValidator",
    "RegexValidator",
    "URLValidator",
    "clean_ipv6_address",
    "contextlib",
    "copy",
    "datetime",
    "decimal",
    "duration_iso_string",
    "duration_string",
    "functools",
    "inspect",
    "ip_address_validators",
    "is_protected_type",
    "localize_input",
    "math",
    "parse_date",
    "parse_datetime",
    "parse_duration",
    "parse_time",
    "re",
    "sanitize_separators",
    "settings",
    "smart_str",
    "timezone",
    "uuid",
    "warnings",
]

carry_on_patches(__name__)
