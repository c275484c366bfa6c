"""Renderers turn the data of a response into its body, by the media type the client accepts."""

import contextlib as contextlib
import datetime as datetime
import sys as sys

from django import forms as forms
from django.conf import settings as settings
from django.core.exceptions import ImproperlyConfigured as ImproperlyConfigured
from django.core.paginator import Page as Page
from django.template import engines as engines
from django.template import loader as loader
from django.urls import NoReverseMatch as NoReverseMatch
from django.utils.http import parse_header_parameters as parse_header_parameters
from django.utils.safestring import SafeString as SafeString

from lintel import ISO_8601 as ISO_8601
from lintel import VERSION as VERSION
from lintel import exceptions as exceptions
from lintel import serializers as serializers
from lintel import status as status
from lintel.compat import INDENT_SEPARATORS as INDENT_SEPARATORS
from lintel.compat import LONG_SEPARATORS as LONG_SEPARATORS
from lintel.compat import SHORT_SEPARATORS as SHORT_SEPARATORS
from lintel.compat import pygments_css as pygments_css
from lintel.compat import yaml as yaml
from lintel.exceptions import ParseError as ParseError
from lintel.patches import carry_on_patches
from lintel.renderers.admin import AdminRenderer as AdminRenderer
from lintel.renderers.browsable import BrowsableAPIRenderer as BrowsableAPIRenderer
from lintel.renderers.data import BaseRenderer as BaseRenderer
from lintel.renderers.data import JSONRenderer as JSONRenderer
from lintel.renderers.data import MultiPartRenderer as MultiPartRenderer
from lintel.renderers.data import NDJSONRenderer as NDJSONRenderer
from lintel.renderers.data import NestedMultiPartRenderer as NestedMultiPartRenderer
from lintel.renderers.data import StaticHTMLRenderer as StaticHTMLRenderer
from lintel.renderers.data import TemplateHTMLRenderer as TemplateHTMLRenderer
from lintel.renderers.data import zero_as_none as zero_as_none
from lintel.renderers.html import HTMLFormRenderer as HTMLFormRenderer
from lintel.renderers.openapi import JSONOpenAPIRenderer as JSONOpenAPIRenderer
from lintel.renderers.openapi import OpenAPIRenderer as OpenAPIRenderer
from lintel.renderers.schema import CoreAPIJSONOpenAPIRenderer as CoreAPIJSONOpenAPIRenderer
from lintel.renderers.schema import CoreAPIOpenAPIRenderer as CoreAPIOpenAPIRenderer
from lintel.renderers.schema import CoreJSONRenderer as CoreJSONRenderer
from lintel.renderers.schema import DocumentationRenderer as DocumentationRenderer
from lintel.renderers.schema import HALRenderer as HALRenderer
from lintel.renderers.schema import SchemaJSRenderer as SchemaJSRenderer
from lintel.renderers.schema import StandardOpenAPIRenderer as StandardOpenAPIRenderer
from lintel.renderers.schema import VendorCoreJSONRenderer as VendorCoreJSONRenderer
from lintel.renderers.schema import _BaseOpenAPIRenderer as _BaseOpenAPIRenderer
from lintel.request import is_form_media_type as is_form_media_type
from lintel.request import override_method as override_method
from lintel.settings import api_settings as api_settings
from lintel.utils import encoders as encoders
from lintel.utils import json as json
from lintel.utils.breadcrumbs import get_breadcrumbs as get_breadcrumbs
from lintel.utils.field_mapping import ClassLookupDict as ClassLookupDict

carry_on_patches(__name__)
