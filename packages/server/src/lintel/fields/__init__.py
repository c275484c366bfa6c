"""Fields of serializers: between primitive input and output and Python values.

This module only re-exports names from the modules beside it, and those of others that packages
import from here.
"""

import copy as copy

import django.core.exceptions
from django.core.exceptions import ObjectDoesNotExist as ObjectDoesNotExist
from django.core.validators import MaxLengthValidator as MaxLengthValidator
from django.core.validators import MaxValueValidator as MaxValueValidator
from django.core.validators import MinLengthValidator as MinLengthValidator
from django.core.validators import MinValueValidator as MinValueValidator
from django.utils import timezone as timezone
from django.utils.translation import gettext_lazy

from lintel import DJANGO_DURATION_FORMAT as DJANGO_DURATION_FORMAT
from lintel import ISO_8601 as ISO_8601
from lintel.exceptions import ErrorDetail as ErrorDetail
from lintel.exceptions import ValidationError as ValidationError
from lintel.fields.attributes import BuiltinSignatureError as BuiltinSignatureError
from lintel.fields.attributes import get_attribute as get_attribute
from lintel.fields.attributes import is_simple_callable as is_simple_callable
from lintel.fields.base import MISSING_ERROR_MESSAGE as MISSING_ERROR_MESSAGE
from lintel.fields.base import NOT_READ_ONLY_REQUIRED as NOT_READ_ONLY_REQUIRED
from lintel.fields.base import NOT_READ_ONLY_WRITE_ONLY as NOT_READ_ONLY_WRITE_ONLY
from lintel.fields.base import NOT_REQUIRED_DEFAULT as NOT_REQUIRED_DEFAULT
from lintel.fields.base import REGEX_TYPE as REGEX_TYPE
from lintel.fields.base import USE_READONLYFIELD as USE_READONLYFIELD
from lintel.fields.base import CreateOnlyDefault as CreateOnlyDefault
from lintel.fields.base import CurrentUserDefault as CurrentUserDefault
from lintel.fields.base import Field as Field
from lintel.fields.base import SkipField as SkipField
from lintel.fields.base import empty as empty
from lintel.fields.base import get_error_detail as get_error_detail
from lintel.fields.choices import BooleanField as BooleanField
from lintel.fields.choices import ChoiceField as ChoiceField
from lintel.fields.choices import FilePathField as FilePathField
from lintel.fields.choices import MultipleChoiceField as MultipleChoiceField
from lintel.fields.choices import flatten_choices_dict as flatten_choices_dict
from lintel.fields.choices import iter_options as iter_options
from lintel.fields.choices import to_choices_dict as to_choices_dict
from lintel.fields.composite import DictField as DictField
from lintel.fields.composite import HStoreField as HStoreField
from lintel.fields.composite import JSONField as JSONField
from lintel.fields.composite import ListField as ListField
from lintel.fields.composite import _UnvalidatedField as _UnvalidatedField
from lintel.fields.dates import DateField as DateField
from lintel.fields.dates import DateTimeField as DateTimeField
from lintel.fields.dates import DurationField as DurationField
from lintel.fields.dates import TimeField as TimeField
from lintel.fields.files import FileField as FileField
from lintel.fields.files import ImageField as ImageField
from lintel.fields.numbers import BigIntegerField as BigIntegerField
from lintel.fields.numbers import DecimalField as DecimalField
from lintel.fields.numbers import FloatField as FloatField
from lintel.fields.numbers import IntegerField as IntegerField
from lintel.fields.special import CompositeKeyField as CompositeKeyField
from lintel.fields.special import HiddenField as HiddenField
from lintel.fields.special import ModelField as ModelField
from lintel.fields.special import ReadOnlyField as ReadOnlyField
from lintel.fields.special import SerializerMethodField as SerializerMethodField
from lintel.fields.text import CharField as CharField
from lintel.fields.text import EmailField as EmailField
from lintel.fields.text import IPAddressField as IPAddressField
from lintel.fields.text import RegexField as RegexField
from lintel.fields.text import SlugField as SlugField
from lintel.fields.text import URLField as URLField
from lintel.fields.text import UUIDField as UUIDField
from lintel.patches import carry_on_patches
from lintel.settings import api_settings as api_settings
from lintel.utils import html as html
from lintel.utils import humanize_datetime as humanize_datetime
from lintel.utils import json as json
from lintel.utils import representation as representation
from lintel.utils.formatting import lazy_format as lazy_format
from lintel.utils.timezone import valid_datetime as valid_datetime
from lintel.validators import (
    ProhibitSurrogateCharactersValidator as ProhibitSurrogateCharactersValidator,
)

_ = gettext_lazy
DjangoValidationError = django.core.exceptions.ValidationError

carry_on_patches(__name__)
