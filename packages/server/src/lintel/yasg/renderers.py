"""The formats of the document, by the names that the URL patterns of drf-yasg have for them."""

from lintel import renderers


class SwaggerYAMLRenderer(renderers.OpenAPIRenderer):
    """``swagger.yaml``, and what callers get who ask for nothing else."""

    media_type = "application/yaml"
    format = ".yaml"


class SwaggerJSONRenderer(renderers.JSONOpenAPIRenderer):
    """``swagger.json``"""

    media_type = "application/json"
    format = ".json"


class OpenAPIRenderer(renderers.StandardOpenAPIRenderer):
    """``?format=openapi``, which pages and generators ask for."""

    format = "openapi"


DOCUMENTS = (SwaggerYAMLRenderer, SwaggerJSONRenderer, OpenAPIRenderer)
