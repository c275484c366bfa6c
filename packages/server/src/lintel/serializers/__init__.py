"""Serializers: from objects to primitives, and from input to validated values and objects.

The whole public interface: all serializers, fields, relations and validators in one module, so that
``from lintel import serializers`` is enough to write an API.
"""

import contextlib
import copy
import inspect
import traceback
import warnings
from collections import defaultdict
from collections.abc import Mapping

from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import models
from django.db.models import Field as DjangoModelField
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy

from lintel.compat import postgres_fields
from lintel.deprecation import RemovedInDRF320Warning
from lintel.exceptions import ErrorDetail, ValidationError
from lintel.fields import (
    BigIntegerField,
    BooleanField,
    CharField,
    ChoiceField,
    CreateOnlyDefault,
    CurrentUserDefault,
    DateField,
    DateTimeField,
    DecimalField,
    DictField,
    DurationField,
    EmailField,
    Field,
    FileField,
    FilePathField,
    FloatField,
    HiddenField,
    HStoreField,
    ImageField,
    IntegerField,
    IPAddressField,
    JSONField,
    ListField,
    ModelField,
    MultipleChoiceField,
    ReadOnlyField,
    RegexField,
    SerializerMethodField,
    SkipField,
    SlugField,
    TimeField,
    URLField,
    UUIDField,
    empty,
    get_error_detail,
)
from lintel.patches import carry_on_patches
from lintel.relations import (
    Hyperlink,
    HyperlinkedIdentityField,
    HyperlinkedRelatedField,
    ManyRelatedField,
    PKOnlyObject,
    PrimaryKeyRelatedField,
    RelatedField,
    SlugRelatedField,
    StringRelatedField,
)
from lintel.serializers.base import (
    LIST_SERIALIZER_KWARGS,
    LIST_SERIALIZER_KWARGS_REMOVE,
    BaseSerializer,
    as_serializer_error,
)
from lintel.serializers.declared import Serializer, SerializerMetaclass
from lintel.serializers.hyperlinked import HyperlinkedModelSerializer
from lintel.serializers.lists import ListSerializer
from lintel.serializers.model import ModelSerializer
from lintel.serializers.names import ALL_FIELDS
from lintel.serializers.nested_writes import raise_errors_on_nested_writes
from lintel.serializers.unions import UnionSerializer
from lintel.settings import api_settings
from lintel.utils import html, model_meta, representation
from lintel.utils.field_mapping import (
    ClassLookupDict,
    get_field_kwargs,
    get_nested_relation_kwargs,
    get_relation_kwargs,
    get_url_kwargs,
)
from lintel.utils.serializer_helpers import (
    BindingDict,
    BoundField,
    JSONBoundField,
    NestedBoundField,
    ReturnDict,
    ReturnList,
)
from lintel.validators import (
    UniqueForDateValidator,
    UniqueForMonthValidator,
    UniqueForYearValidator,
    UniqueTogetherValidator,
)

_ = gettext_lazy

__all__ = [
    # serializers
    "BaseSerializer",
    "Serializer",
    "ListSerializer",
    "ModelSerializer",
    "HyperlinkedModelSerializer",
    "UnionSerializer",
    "SerializerMetaclass",
    "ALL_FIELDS",
    "LIST_SERIALIZER_KWARGS",
    "LIST_SERIALIZER_KWARGS_REMOVE",
    "as_serializer_error",
    "raise_errors_on_nested_writes",
    # fields
    "Field",
    "BigIntegerField",
    "BooleanField",
    "CharField",
    "ChoiceField",
    "DateField",
    "DateTimeField",
    "DecimalField",
    "DictField",
    "DurationField",
    "EmailField",
    "FileField",
    "FilePathField",
    "FloatField",
    "HiddenField",
    "HStoreField",
    "IPAddressField",
    "ImageField",
    "IntegerField",
    "JSONField",
    "ListField",
    "ModelField",
    "MultipleChoiceField",
    "ReadOnlyField",
    "RegexField",
    "SerializerMethodField",
    "SlugField",
    "TimeField",
    "URLField",
    "UUIDField",
    "CreateOnlyDefault",
    "CurrentUserDefault",
    "SkipField",
    "empty",
    "get_error_detail",
    # relations
    "RelatedField",
    "PrimaryKeyRelatedField",
    "SlugRelatedField",
    "StringRelatedField",
    "HyperlinkedRelatedField",
    "HyperlinkedIdentityField",
    "ManyRelatedField",
    "Hyperlink",
    "PKOnlyObject",
    # validators and errors
    "UniqueForDateValidator",
    "UniqueForMonthValidator",
    "UniqueForYearValidator",
    "UniqueTogetherValidator",
    "ErrorDetail",
    "ValidationError",
    "RemovedInDRF320Warning",
    # names that other packages import from here
    "BindingDict",
    "BoundField",
    "ClassLookupDict",
    "JSONBoundField",
    "NestedBoundField",
    "ReturnDict",
    "ReturnList",
    "api_settings",
    "get_field_kwargs",
    "get_nested_relation_kwargs",
    "get_relation_kwargs",
    "get_url_kwargs",
    "html",
    "model_meta",
    "postgres_fields",
    "representation",
    "DjangoModelField",
    "DjangoValidationError",
    "FieldDoesNotExist",
    "ImproperlyConfigured",
    "Mapping",
    "cached_property",
    "contextlib",
    "copy",
    "defaultdict",
    "inspect",
    "models",
    "timezone",
    "traceback",
    "warnings",
]

carry_on_patches(__name__)
