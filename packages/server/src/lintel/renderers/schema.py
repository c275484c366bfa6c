"""Renderers of the native schema: a ``lintel_document.Document`` as Core JSON, HAL, script or page.

``takes_document`` tells the schema view that a renderer writes a Document, not OpenAPI.
"""

import base64
import json
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.template import loader

from lintel import compat
from lintel.compat import pygments_css, yaml
from lintel.fields.describing import Schema
from lintel.renderers.data import BaseRenderer, Context, header_name
from lintel.renderers.documentation import sections, walk
from lintel.renderers.documentation_page import address_of, complete
from lintel.renderers.openapi import JSONOpenAPIRenderer
from lintel.request import Request
from lintel.utils.encoders import JSONEncoder
from lintel_document import CoreJSONCodec, Document, Link
from lintel_document.schemas import type_name


class CoreJSONRenderer(BaseRenderer):
    media_type: str | None = "application/coreapi+json"
    charset: str | None = None
    format: str | None = "corejson"
    takes_document = True

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        indent = bool((renderer_context or {}).get("indent", 0))
        return CoreJSONCodec().dump(data, indent=indent, extensions=False)


class VendorCoreJSONRenderer(CoreJSONRenderer):
    """Core JSON under the media type of older clients."""

    media_type: str | None = "application/vnd.coreapi+json"


class HALRenderer(BaseRenderer):
    """Writes the native schema as HAL; needs lintel-codecs (``django-lintel[hal]``)."""

    media_type: str | None = "application/hal+json"
    charset: str | None = None
    format: str | None = "hal"
    takes_document = True

    def __init__(self) -> None:
        if compat.HALCodec is None:
            raise ImproperlyConfigured(
                "HALRenderer needs lintel-codecs: install django-lintel[hal]"
            )

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        indent = bool((renderer_context or {}).get("indent", 0))
        content: bytes = compat.HALCodec().encode(data, indent=indent)
        return content


class SchemaJSRenderer(BaseRenderer):
    """Writes a script that sets ``window.schema`` to the schema for the pages that load it."""

    media_type: str | None = "application/javascript"
    format: str | None = "javascript"
    template = "rest_framework/schema.js"
    takes_document = True

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> str:
        """The document is in base64, so no text in it can end the script."""
        document = json.loads(CoreJSONCodec().dump(data, extensions=False))
        # Only ASCII survives the browser's atob().
        schema = base64.b64encode(json.dumps(document).encode("ascii")).decode("ascii")
        return loader.render_to_string(self.template, {"schema": schema})


class DocumentationRenderer(BaseRenderer):
    """Writes the native schema as an HTML page, with examples in several languages."""

    media_type: str | None = "text/html"
    format: str | None = "html"
    template = "rest_framework/docs/index.html"
    error_template = "rest_framework/docs/error.html"
    code_style = "emacs"
    languages: list[str] = ["shell", "javascript", "python"]
    takes_document = True

    def get_context(self, data: Document, request: Request | None) -> Schema:
        return {
            "document": data,
            "sections": sections(data),
            "langs": self.languages,
            "lang_htmls": [f"rest_framework/docs/langs/{name}.html" for name in self.languages],
            "lang_intro_htmls": [
                f"rest_framework/docs/langs/{name}-intro.html" for name in self.languages
            ],
            "code_style": pygments_css(self.code_style),
            "csrf_cookie": settings.CSRF_COOKIE_NAME,
            "csrf_is_readable": not (settings.CSRF_USE_SESSIONS or settings.CSRF_COOKIE_HTTPONLY),
            "csrf_header": header_name(settings.CSRF_HEADER_NAME),
            "schema_js_url": schema_js_url(request),
            "request": request,
        }

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> str:
        """Return the page; for anything but a document, the error page."""
        context = renderer_context or {}
        request = context.get("request")
        if isinstance(data, Document):
            page = complete(self.get_context(data, request), data, context)
            return loader.render_to_string(self.template, page, request=request)
        shown = {
            "data": data,
            "request": request,
            "response": context.get("response"),
            "debug": settings.DEBUG,
        }
        return loader.render_to_string(self.error_template, shown, request=request)


def schema_js_url(request: object) -> str:
    match = getattr(request, "resolver_match", None)
    if match is None or not match.namespace:
        return ""
    return address_of(f"{match.namespace}:schema-js", *match.args, **match.kwargs)


class _BaseOpenAPIRenderer:
    """Translates the native schema to OpenAPI 3.0: operations and their parameters, no bodies."""

    takes_document = True

    def get_schema(self, instance: Any) -> Schema:
        """An Enum has no type, as its values may be of several."""
        kind = type_name(instance)
        is_json = kind in ("string", "integer", "number", "boolean", "array", "object")
        schema = {"type": kind} if is_json else {}
        schema |= {"title": instance.title, "description": instance.description}
        return {**schema, "enum": list(instance.enum)} if kind == "enum" else schema

    def get_parameters(self, link: Link) -> list[Schema]:
        parameters = []
        for field in link.fields:
            if field.location not in ("path", "query"):
                continue
            parameter: dict[str, object] = {"name": field.name, "in": field.location}
            if field.required:
                parameter["required"] = True
            if field.description:
                parameter["description"] = field.description
            if field.schema is not None:
                parameter["schema"] = self.get_schema(field.schema)
            parameters.append(parameter)
        return parameters

    def get_operation(self, link: Link, name: str, tag: str | None) -> Schema:
        parts = {
            "operationId": f"{tag}_{name}" if tag else name,
            "summary": link.title,
            "description": link.description,
            "parameters": self.get_parameters(link),
            "tags": [tag] if tag else [],
        }
        return {key: value for key, value in parts.items() if value}

    def get_paths(self, document: Document) -> Schema:
        paths: Schema = {}
        for keys, link in walk(document):
            tag = keys[0] if len(keys) > 1 else None
            operation = self.get_operation(link, "_".join(keys[1:]) or keys[0], tag)
            paths.setdefault(urlsplit(link.url).path, {})[link.action] = operation
        return paths

    def get_structure(self, data: Document) -> Schema:
        return {
            "openapi": "3.0.0",
            "info": {"version": "", "title": data.title, "description": data.description},
            "servers": [{"url": data.url}],
            "paths": self.get_paths(data),
        }


def _as_json(structure: object, ensure_ascii: bool) -> str:
    return json.dumps(structure, indent=4, ensure_ascii=ensure_ascii, cls=JSONEncoder)


class CoreAPIOpenAPIRenderer(_BaseOpenAPIRenderer):
    """Writes the native schema as OpenAPI in YAML. Needs the extra ``openapi``."""

    media_type = "application/vnd.oai.openapi"
    charset = None
    format = "openapi"

    def __init__(self) -> None:
        if yaml is None:
            raise ImportError("CoreAPIOpenAPIRenderer needs PyYAML: install django-lintel[openapi]")

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """ASCII, with sorted keys."""
        # Through JSON, so that dates, decimals and so on become values that YAML writes plainly.
        structure = json.loads(_as_json(self.get_structure(data), ensure_ascii=True))
        text: str = yaml.safe_dump(structure, default_flow_style=False)
        return text.encode("utf-8")


class CoreAPIJSONOpenAPIRenderer(_BaseOpenAPIRenderer):
    """Writes the native schema as OpenAPI in JSON."""

    media_type = "application/vnd.oai.openapi+json"
    charset = None
    format = "openapi-json"
    ensure_ascii = False

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        return _as_json(self.get_structure(data), self.ensure_ascii).encode("utf-8")


class StandardOpenAPIRenderer(JSONOpenAPIRenderer):
    """The same document as ``application/openapi+json``, which codecs of clients ask for.

    It also writes the native schema, for views that have nothing else.
    """

    media_type: str | None = "application/openapi+json"

    def render(
        self, data: Any, media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        if isinstance(data, Document):
            structure = CoreAPIJSONOpenAPIRenderer().get_structure(data)
            # Paths are those of whole URLs, not relative to the document.
            structure["servers"] = [{"url": urljoin(data.url, "/").rstrip("/") or "/"}]
            return _as_json(structure, self.ensure_ascii).encode()
        return super().render(data, media_type, renderer_context)
