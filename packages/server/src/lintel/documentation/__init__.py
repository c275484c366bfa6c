"""HTML pages that document the API, generated from the description of its views.

``include_docs_urls()`` gives a project both: the page, and next to it ``schema.js``, the script
with which the page (and any other page) calls the API by the names of its operations.
"""

from lintel.documentation.views import get_docs_view, get_schemajs_view, include_docs_urls
from lintel.renderers import CoreJSONRenderer, DocumentationRenderer, SchemaJSRenderer
from lintel.schemas import get_schema_view
from lintel.schemas.coreapi import SchemaGenerator
from lintel.settings import api_settings

__all__ = [
    "CoreJSONRenderer",
    "DocumentationRenderer",
    "SchemaGenerator",
    "SchemaJSRenderer",
    "api_settings",
    "get_docs_view",
    "get_schema_view",
    "get_schemajs_view",
    "include_docs_urls",
]
