"""Fields for the relations of an object: the related object as its key, slug, URL or text."""

import contextlib
import sys
from operator import attrgetter
from urllib import parse

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.db.models import Manager, QuerySet
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, resolve
from django.utils.encoding import smart_str, uri_to_iri
from django.utils.translation import gettext_lazy

from lintel.fast import prefetch_keys
from lintel.fields import (
    Field,
    SkipField,
    empty,
    get_attribute,
    is_simple_callable,
    iter_options,
)
from lintel.patches import carry_on_patches
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
from lintel.relations.many import ManyRelatedField
from lintel.reverse import reverse
from lintel.settings import api_settings
from lintel.utils import html

_ = gettext_lazy

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
    # names that other packages import from here
    "ImproperlyConfigured",
    "Manager",
    "NoReverseMatch",
    "ObjectDoesNotExist",
    "QuerySet",
    "Resolver404",
    "attrgetter",
    "contextlib",
    "get_script_prefix",
    "parse",
    "resolve",
    "smart_str",
    "sys",
    "uri_to_iri",
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

carry_on_patches(__name__)
