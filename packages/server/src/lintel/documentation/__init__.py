"""HTML pages that document the API, generated from the description of its views.

``include_docs_urls()`` gives a project both: the page, and next to it ``schema.js``, the script
with which the page (and any other page) calls the API by the names of its operations.
"""

from lintel.documentation.views import get_docs_view as get_docs_view
from lintel.documentation.views import get_schemajs_view as get_schemajs_view
from lintel.documentation.views import include_docs_urls as include_docs_urls
from lintel.patches import carry_on_patches
from lintel.renderers import CoreJSONRenderer as CoreJSONRenderer
from lintel.renderers import DocumentationRenderer as DocumentationRenderer
from lintel.renderers import SchemaJSRenderer as SchemaJSRenderer
from lintel.schemas import get_schema_view as get_schema_view
from lintel.schemas.coreapi import SchemaGenerator as SchemaGenerator
from lintel.settings import api_settings as api_settings

carry_on_patches(__name__)
