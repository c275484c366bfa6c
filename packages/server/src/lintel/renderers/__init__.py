"""Renderers turn the data of a response into its body, by the media type the client accepts."""

import contextlib
import datetime
import sys

from django import forms
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.paginator import Page
from django.template import engines, loader
from django.urls import NoReverseMatch
from django.utils.http import parse_header_parameters
from django.utils.safestring import SafeString

from lintel import ISO_8601, VERSION, exceptions, serializers, status
from lintel.compat import INDENT_SEPARATORS, LONG_SEPARATORS, SHORT_SEPARATORS, pygments_css, yaml
from lintel.exceptions import ParseError
from lintel.patches import carry_on_patches
from lintel.renderers.admin import AdminRenderer
from lintel.renderers.browsable import BrowsableAPIRenderer
from lintel.renderers.data import (
    BaseRenderer,
    JSONRenderer,
    MultiPartRenderer,
    NDJSONRenderer,
    StaticHTMLRenderer,
    TemplateHTMLRenderer,
    zero_as_none,
)
from lintel.renderers.html import HTMLFormRenderer
from lintel.renderers.openapi import JSONOpenAPIRenderer, OpenAPIRenderer
from lintel.renderers.schema import (
    CoreAPIJSONOpenAPIRenderer,
    CoreAPIOpenAPIRenderer,
    CoreJSONRenderer,
    DocumentationRenderer,
    HALRenderer,
    SchemaJSRenderer,
    StandardOpenAPIRenderer,
    VendorCoreJSONRenderer,
    _BaseOpenAPIRenderer,
)
from lintel.request import is_form_media_type, override_method
from lintel.settings import api_settings
from lintel.utils import encoders, json
from lintel.utils.breadcrumbs import get_breadcrumbs
from lintel.utils.field_mapping import ClassLookupDict

__all__ = [
    # data
    "BaseRenderer",
    "JSONRenderer",
    "NDJSONRenderer",
    "TemplateHTMLRenderer",
    "StaticHTMLRenderer",
    "MultiPartRenderer",
    # pages
    "HTMLFormRenderer",
    "BrowsableAPIRenderer",
    "AdminRenderer",
    # schemas
    "OpenAPIRenderer",
    "JSONOpenAPIRenderer",
    "StandardOpenAPIRenderer",
    "CoreJSONRenderer",
    "HALRenderer",
    "CoreAPIOpenAPIRenderer",
    "CoreAPIJSONOpenAPIRenderer",
    "SchemaJSRenderer",
    "VendorCoreJSONRenderer",
    "_BaseOpenAPIRenderer",
    "DocumentationRenderer",
    # helpers
    "zero_as_none",
    # names that other packages import from here
    "ClassLookupDict",
    "ImproperlyConfigured",
    "NoReverseMatch",
    "Page",
    "SafeString",
    "contextlib",
    "datetime",
    "engines",
    "forms",
    "loader",
    "parse_header_parameters",
    "settings",
    "sys",
    "INDENT_SEPARATORS",
    "ISO_8601",
    "LONG_SEPARATORS",
    "ParseError",
    "SHORT_SEPARATORS",
    "VERSION",
    "api_settings",
    "encoders",
    "exceptions",
    "get_breadcrumbs",
    "is_form_media_type",
    "json",
    "override_method",
    "pygments_css",
    "serializers",
    "status",
    "yaml",
]

carry_on_patches(__name__)
