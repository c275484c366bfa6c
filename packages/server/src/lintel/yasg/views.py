"""Views of the document, and of pages about it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_page

from lintel.documentation import get_docs_view
from lintel.renderers import JSONOpenAPIRenderer, OpenAPIRenderer
from lintel.schemas.generators import Patterns, UrlConf
from lintel.schemas.tree import Schema
from lintel.schemas.views import Classes, SchemaView
from lintel.schemas.yasg_info import ATTRIBUTE
from lintel.settings import api_settings
from lintel.spectacular.generators import SchemaGenerator
from lintel.yasg.renderers import DOCUMENTS

Served = Callable[..., HttpResponse]


def get_schema_view(
    info: Schema | None = None,
    url: str | None = None,
    patterns: Patterns = None,
    urlconf: UrlConf = None,
    public: bool = False,
    validators: object = None,
    generator_class: Any = None,
    authentication_classes: Classes = None,
    permission_classes: Classes = None,
) -> Any:
    """A view class: ``without_ui()`` serves the document, ``with_ui()`` the page about it.

    The document is one of OpenAPI 3: what drf-yasg wrote, Swagger 2, is not written here.
    """
    said = dict(info or {})
    given_public, given_policies = public, (authentication_classes, permission_classes)
    generator = (generator_class or SchemaGenerator)(
        title=said.get("title"),
        version=said.get("version"),
        description=said.get("description"),
        url=url,
        patterns=patterns,
        urlconf=urlconf,
    )

    # A comment, because a docstring would be shown as the description of the view.
    class DocumentView(SchemaView):
        public = given_public
        schema_generator = generator
        renderer_classes = (*DOCUMENTS, OpenAPIRenderer, JSONOpenAPIRenderer)

        @classmethod
        def without_ui(cls, cache_timeout: int = 0, cache_kwargs: Schema | None = None) -> Served:
            return _cached(_about(info, cls.as_view()), cache_timeout, cache_kwargs)

        @classmethod
        def with_ui(
            cls,
            renderer: str = "swagger",
            cache_timeout: int = 0,
            cache_kwargs: Schema | None = None,
        ) -> Served:
            texts = said.get("title"), said.get("description"), url, urlconf, public, patterns
            view = get_docs_view(*texts, **_policies(given_policies))
            page = _page_or_document(view, cls.as_view())
            return _cached(_about(info, page), cache_timeout, cache_kwargs)

    for name, classes in _policies(given_policies).items():
        setattr(DocumentView, name, classes)
    return DocumentView


def _page_or_document(page: Served, document: Served) -> Served:
    """The page has the address of the document, too: ``?format=openapi``."""
    formats = {given.format for given in DOCUMENTS}

    @wraps(page)
    def serve(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        asked = request.GET.get(api_settings.URL_FORMAT_OVERRIDE or "")
        view = document if asked in formats else page
        return view(request, *args, **kwargs)

    return serve


def _about(info: Schema | None, view: Served) -> Served:
    """A view that other descriptions of the same API learn its title from."""
    if info:
        vars(view)[ATTRIBUTE] = info
    return view


def _policies(given: tuple[Classes, Classes]) -> dict[str, Any]:
    names = ("authentication_classes", "permission_classes")
    return {name: value for name, value in zip(names, given, strict=True) if value is not None}


def _cached(view: Served, seconds: int, options: Schema | None) -> Served:
    return cache_page(seconds, **(options or {}))(view) if seconds else view
