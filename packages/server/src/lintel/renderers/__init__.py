"""Renderers turn the data of a response into its body, by the media type the client accepts."""

from lintel.renderers.browsable import AdminRenderer, BrowsableAPIRenderer
from lintel.renderers.data import (
    BaseRenderer,
    JSONRenderer,
    MultiPartRenderer,
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
    SchemaJSRenderer,
)

__all__ = [
    # data
    "BaseRenderer",
    "JSONRenderer",
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
    "CoreJSONRenderer",
    "CoreAPIOpenAPIRenderer",
    "CoreAPIJSONOpenAPIRenderer",
    "SchemaJSRenderer",
    "DocumentationRenderer",
    # helpers
    "zero_as_none",
]
