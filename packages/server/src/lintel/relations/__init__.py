"""Fields for the relations of an object: the related object as its key, slug, URL or text."""

from django.core.exceptions import ObjectDoesNotExist as ObjectDoesNotExist
from django.db.models import Manager as Manager
from django.db.models import QuerySet as QuerySet
from django.utils.encoding import smart_str as smart_str
from django.utils.translation import gettext_lazy

from lintel.fast import prefetch_keys as prefetch_keys
from lintel.fields import Field as Field
from lintel.fields import SkipField as SkipField
from lintel.fields import empty as empty
from lintel.fields import get_attribute as get_attribute
from lintel.fields import is_simple_callable as is_simple_callable
from lintel.fields import iter_options as iter_options
from lintel.patches import carry_on_patches
from lintel.relations.base import MANY_RELATION_KWARGS as MANY_RELATION_KWARGS
from lintel.relations.base import PKOnlyObject as PKOnlyObject
from lintel.relations.base import RelatedField as RelatedField
from lintel.relations.base import method_overridden as method_overridden
from lintel.relations.hyperlinks import Hyperlink as Hyperlink
from lintel.relations.hyperlinks import HyperlinkedIdentityField as HyperlinkedIdentityField
from lintel.relations.hyperlinks import HyperlinkedRelatedField as HyperlinkedRelatedField
from lintel.relations.hyperlinks import ObjectTypeError as ObjectTypeError
from lintel.relations.hyperlinks import ObjectValueError as ObjectValueError
from lintel.relations.keys import PrimaryKeyRelatedField as PrimaryKeyRelatedField
from lintel.relations.keys import SlugRelatedField as SlugRelatedField
from lintel.relations.keys import StringRelatedField as StringRelatedField
from lintel.relations.many import ManyRelatedField as ManyRelatedField
from lintel.reverse import reverse as reverse
from lintel.settings import api_settings as api_settings
from lintel.utils import html as html

_ = gettext_lazy

carry_on_patches(__name__)
