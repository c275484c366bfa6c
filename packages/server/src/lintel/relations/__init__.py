"""Fields for the relations of an object: the related object as its key, slug, address or text."""

from lintel.fields import (
    Field,
    SkipField,
    empty,
    get_attribute,
    is_simple_callable,
    iter_options,
)
from lintel.relations.base import (
    MANY_RELATION_KWARGS,
    PKOnlyObject,
    RelatedField,
    method_overridden,
)
from lintel.relations.hyperlinks import (
    Hyperlink,
    HyperlinkedIdentityField,
    HyperlinkedRelatedField,
    ObjectTypeError,
    ObjectValueError,
)
from lintel.relations.keys import (
    PrimaryKeyRelatedField,
    SlugRelatedField,
    StringRelatedField,
)
from lintel.relations.lookups import prefetch_keys
from lintel.relations.many import ManyRelatedField
from lintel.reverse import reverse
from lintel.settings import api_settings
from lintel.utils import html

__all__ = [
    "RelatedField",
    "PrimaryKeyRelatedField",
    "SlugRelatedField",
    "StringRelatedField",
    "HyperlinkedRelatedField",
    "HyperlinkedIdentityField",
    "ManyRelatedField",
    "MANY_RELATION_KWARGS",
    "Hyperlink",
    "PKOnlyObject",
    "ObjectTypeError",
    "ObjectValueError",
    "prefetch_keys",
    "method_overridden",
    "Field",
    "SkipField",
    "empty",
    "get_attribute",
    "is_simple_callable",
    "iter_options",
    "reverse",
    "api_settings",
    "html",
]
