"""Documents as served: bytes with a validator, and cached if the project asks for it."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock

from django.conf import settings
from django.http import HttpResponse
from django.urls import get_resolver, get_urlconf
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language

from lintel.renderers import BaseRenderer
from lintel.request import Request
from lintel.settings import api_settings
from lintel.views import APIView

#: The most documents kept: there may be as many audiences as users.
MAX_KEPT = 32

#: The attributes that distinguish callers who see different operations.
CALLER_HEADERS = ("Authorization", "Cookie")


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document as bytes; ``etag`` is a strong validator (RFC 9110, section 8.8.3)."""

    content: bytes
    media_type: str
    etag: str


@dataclass
class KeptDocuments:
    """The documents of one schema view, by everything they were made from. Thread-safe."""

    documents: OrderedDict[object, WrittenDocument] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)
    surroundings: object = None

    def get(self, key: object, make: Callable[[], WrittenDocument]) -> WrittenDocument:
        """Return the document of a key, made on first use; a change of settings drops them all."""
        now = surroundings()
        with self.lock:
            if self.surroundings != now:
                self.documents.clear()
                self.surroundings = now
            document = self.documents.get(key)
        if document is not None:
            return document
        made = make()
        with self.lock:
            if self.surroundings == now:
                self.documents[key] = made
                while len(self.documents) > MAX_KEPT:
                    self.documents.popitem(last=False)
        return made


def surroundings() -> object:
    resolver = get_resolver(get_urlconf())
    # The resolver itself and not its id, which could be reused.
    return api_settings.generation, resolver, settings.ROOT_URLCONF, settings.USE_TZ


def key_of(request: Request, renderer: BaseRenderer, audience: object) -> object:
    address = request.build_absolute_uri("/"), request.path
    form = type(renderer), request.accepted_media_type
    return form, address, get_language(), getattr(request, "version", None), audience


def written(data: object, view: APIView, request: Request) -> WrittenDocument:
    renderer, media_type = request.accepted_renderer, request.accepted_media_type
    content = renderer.render(data, media_type, view.get_renderer_context())
    content = content if isinstance(content, bytes) else content.encode()
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    return WrittenDocument(content, renderer.media_type, etag)


def answer(document: WrittenDocument, request: Request, public: bool) -> HttpResponse:
    response = HttpResponse(document.content, content_type=document.media_type)
    response["ETag"] = document.etag
    if not public:
        patch_vary_headers(response, CALLER_HEADERS)
        response["Cache-Control"] = "private"
    result = get_conditional_response(request._request, etag=document.etag, response=response)
    return result if isinstance(result, HttpResponse) else response
