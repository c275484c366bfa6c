"""Renderers turn the data of a response into its body, by the media type the client accepts."""

from lintel.renderers.data import (
    BaseRenderer,
    JSONRenderer,
    MultiPartRenderer,
    StaticHTMLRenderer,
    TemplateHTMLRenderer,
    zero_as_none,
)
from lintel.renderers.schema import (
    CoreAPIJSONOpenAPIRenderer,
    CoreAPIOpenAPIRenderer,
    CoreJSONRenderer,
    DocumentationRenderer,
    SchemaJSRenderer,
)

__all__ = [
    "BaseRenderer",
    "CoreAPIJSONOpenAPIRenderer",
    "CoreAPIOpenAPIRenderer",
    "CoreJSONRenderer",
    "DocumentationRenderer",
    "JSONRenderer",
    "MultiPartRenderer",
    "SchemaJSRenderer",
    "StaticHTMLRenderer",
    "TemplateHTMLRenderer",
    "zero_as_none",
]
