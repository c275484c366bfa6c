"""Views of the document, and of pages about it."""

from typing import Any

from django.utils.module_loading import import_string

from lintel.documentation.views import DocumentationView
from lintel.permissions import AllowAny
from lintel.renderers import (
    CoreJSONRenderer,
    DocumentationRenderer,
    JSONOpenAPIRenderer,
    OpenAPIRenderer,
)
from lintel.schemas.coreapi import SchemaGenerator as NativeSchemaGenerator
from lintel.schemas.document_settings import info_with_settings, spectacular_settings
from lintel.schemas.generators import Patterns, UrlConf
from lintel.schemas.views import SchemaView
from lintel.spectacular.generators import SchemaGenerator

#: The settings that choose the policies of these views, unless they have their own.
POLICIES = {
    "permission_classes": "SERVE_PERMISSIONS",
    "authentication_classes": "SERVE_AUTHENTICATION",
}


def apply_policies(view: Any, given: dict[str, Any]) -> None:
    for attribute, name in POLICIES.items():
        chosen = getattr(spectacular_settings, name)
        if chosen is not None and attribute not in given:
            classes = [import_string(cls) if isinstance(cls, str) else cls for cls in chosen]
            setattr(view, attribute, classes)


# Comments instead of docstrings, which clients would see as descriptions of the views.
# ``patterns``, ``urlconf`` and ``api_version`` restrict the document.
class SpectacularAPIView(SchemaView):
    permission_classes = [AllowAny]
    public = True
    generator_class: Any = SchemaGenerator
    urlconf: UrlConf = None
    patterns: Patterns = None
    api_version: str | None = None
    custom_settings: object = None

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        apply_policies(self, kwargs)
        if spectacular_settings.SERVE_PUBLIC is not None and "public" not in kwargs:
            self.public = bool(spectacular_settings.SERVE_PUBLIC)
        self.schema_generator = self.generator_class(
            patterns=self.patterns, urlconf=self.urlconf, api_version=self.api_version
        )


class SpectacularJSONAPIView(SpectacularAPIView):
    renderer_classes = [JSONOpenAPIRenderer]


class SpectacularYAMLAPIView(SpectacularAPIView):
    renderer_classes = [OpenAPIRenderer]


# The documentation page, which needs no scripts of other hosts. It describes the project by
# itself, so that it does not need the address of the document.
class SpectacularSwaggerView(DocumentationView):
    permission_classes = [AllowAny]
    renderer_classes = [DocumentationRenderer, CoreJSONRenderer]
    public = True
    url_name: str = "schema"
    url: str | None = None
    template_name: str | None = None
    title: str = ""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        apply_policies(self, kwargs)
        info = info_with_settings(self.title, None, None)
        self.schema_generator = NativeSchemaGenerator(
            title=info["title"], description=info.get("description")
        )


class SpectacularSwaggerSplitView(SpectacularSwaggerView):
    url_self: str | None = None


class SpectacularRedocView(SpectacularSwaggerView):
    pass
