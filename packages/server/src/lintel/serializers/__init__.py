"""Serializers: from objects to primitives, and from input to validated values and objects.

The whole public interface: all serializers, fields, relations and validators in one module, so that
``from lintel import serializers`` is enough to write an API.
"""

import django.core.exceptions
from django.core.exceptions import FieldDoesNotExist as FieldDoesNotExist
from django.core.exceptions import ImproperlyConfigured as ImproperlyConfigured
from django.db import models as models
from django.utils.translation import gettext_lazy

from lintel.compat import postgres_fields as postgres_fields
from lintel.deprecation import RemovedInDRF320Warning as RemovedInDRF320Warning
from lintel.exceptions import ErrorDetail as ErrorDetail
from lintel.exceptions import ValidationError as ValidationError
from lintel.fields import BigIntegerField as BigIntegerField
from lintel.fields import BooleanField as BooleanField
from lintel.fields import CharField as CharField
from lintel.fields import ChoiceField as ChoiceField
from lintel.fields import CreateOnlyDefault as CreateOnlyDefault
from lintel.fields import CurrentUserDefault as CurrentUserDefault
from lintel.fields import DateField as DateField
from lintel.fields import DateTimeField as DateTimeField
from lintel.fields import DecimalField as DecimalField
from lintel.fields import DictField as DictField
from lintel.fields import DurationField as DurationField
from lintel.fields import EmailField as EmailField
from lintel.fields import Field as Field
from lintel.fields import FileField as FileField
from lintel.fields import FilePathField as FilePathField
from lintel.fields import FloatField as FloatField
from lintel.fields import HiddenField as HiddenField
from lintel.fields import HStoreField as HStoreField
from lintel.fields import ImageField as ImageField
from lintel.fields import IntegerField as IntegerField
from lintel.fields import IPAddressField as IPAddressField
from lintel.fields import JSONField as JSONField
from lintel.fields import ListField as ListField
from lintel.fields import ModelField as ModelField
from lintel.fields import MultipleChoiceField as MultipleChoiceField
from lintel.fields import ReadOnlyField as ReadOnlyField
from lintel.fields import RegexField as RegexField
from lintel.fields import SerializerMethodField as SerializerMethodField
from lintel.fields import SkipField as SkipField
from lintel.fields import SlugField as SlugField
from lintel.fields import TimeField as TimeField
from lintel.fields import URLField as URLField
from lintel.fields import UUIDField as UUIDField
from lintel.fields import empty as empty
from lintel.fields import get_error_detail as get_error_detail
from lintel.marks import reads as reads
from lintel.patches import carry_on_patches
from lintel.relations import Hyperlink as Hyperlink
from lintel.relations import HyperlinkedIdentityField as HyperlinkedIdentityField
from lintel.relations import HyperlinkedRelatedField as HyperlinkedRelatedField
from lintel.relations import ManyRelatedField as ManyRelatedField
from lintel.relations import PKOnlyObject as PKOnlyObject
from lintel.relations import PrimaryKeyRelatedField as PrimaryKeyRelatedField
from lintel.relations import RelatedField as RelatedField
from lintel.relations import SlugRelatedField as SlugRelatedField
from lintel.relations import StringRelatedField as StringRelatedField
from lintel.serializers.base import LIST_SERIALIZER_KWARGS as LIST_SERIALIZER_KWARGS
from lintel.serializers.base import LIST_SERIALIZER_KWARGS_REMOVE as LIST_SERIALIZER_KWARGS_REMOVE
from lintel.serializers.base import BaseSerializer as BaseSerializer
from lintel.serializers.base import as_serializer_error as as_serializer_error
from lintel.serializers.declared import Serializer as Serializer
from lintel.serializers.declared import SerializerMetaclass as SerializerMetaclass
from lintel.serializers.hyperlinked import HyperlinkedModelSerializer as HyperlinkedModelSerializer
from lintel.serializers.lists import ListSerializer as ListSerializer
from lintel.serializers.model import ModelSerializer as ModelSerializer
from lintel.serializers.names import ALL_FIELDS as ALL_FIELDS
from lintel.serializers.nested_writes import (
    raise_errors_on_nested_writes as raise_errors_on_nested_writes,
)
from lintel.serializers.part_checks import nested_check as _nested_check  # noqa: F401  registers it
from lintel.serializers.parts import Nested as Nested
from lintel.serializers.source_checks import sources_check as _sources_check  # noqa: F401  registers it
from lintel.serializers.unions import UnionSerializer as UnionSerializer
from lintel.settings import api_settings as api_settings
from lintel.utils import html as html
from lintel.utils import model_meta as model_meta
from lintel.utils import representation as representation
from lintel.utils.field_mapping import ClassLookupDict as ClassLookupDict
from lintel.utils.field_mapping import get_field_kwargs as get_field_kwargs
from lintel.utils.field_mapping import get_nested_relation_kwargs as get_nested_relation_kwargs
from lintel.utils.field_mapping import get_relation_kwargs as get_relation_kwargs
from lintel.utils.field_mapping import get_url_kwargs as get_url_kwargs
from lintel.utils.serializer_helpers import BindingDict as BindingDict
from lintel.utils.serializer_helpers import BoundField as BoundField
from lintel.utils.serializer_helpers import JSONBoundField as JSONBoundField
from lintel.utils.serializer_helpers import NestedBoundField as NestedBoundField
from lintel.utils.serializer_helpers import ReturnDict as ReturnDict
from lintel.utils.serializer_helpers import ReturnList as ReturnList
from lintel.validators import UniqueForDateValidator as UniqueForDateValidator
from lintel.validators import UniqueForMonthValidator as UniqueForMonthValidator
from lintel.validators import UniqueForYearValidator as UniqueForYearValidator
from lintel.validators import UniqueTogetherValidator as UniqueTogetherValidator

_ = gettext_lazy
DjangoModelField = models.Field
DjangoValidationError = django.core.exceptions.ValidationError

carry_on_patches(__name__)
