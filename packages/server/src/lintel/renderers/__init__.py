"""Renderers turn the data of a response into its body, by the media type the client accepts."""

from lintel.renderers.data import (
    BaseRenderer,
    JSONRenderer,
    MultiPartRenderer,
    StaticHTMLRenderer,
    TemplateHTMLRenderer,
    zero_as_none,
)

__all__ = [
    "BaseRenderer",
    "JSONRenderer",
    "MultiPartRenderer",
    "StaticHTMLRenderer",
    "TemplateHTMLRenderer",
    "zero_as_none",
]
