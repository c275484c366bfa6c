"""The response of a view: data that is rendered once it is known in which form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from http.client import responses
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http.response import ResponseHeaders
from django.template.response import SimpleTemplateResponse

from lintel.serializers.declared import Serializer

if TYPE_CHECKING:
    from typing import Self

#: Attributes that only live as long as the request.
_REQUEST_ATTRIBUTES = (
    "accepted_renderer",
    "renderer_context",
    "resolver_match",
    "client",
    "request",
    "json",
    "wsgi_request",
)


#: Django asks for a template; the renderer stands in for it.
_NO_TEMPLATE: Any = None
_STATUSES = frozenset([None, *range(100, 600)])
_SHARED_TYPES = (type(None), bool, int, str, bytes)

#: Makers of a new value for the attributes of a response that may not be shared.
_NEW_VALUES: dict[type, Callable[[Any], Any]] = {
    list: list,
    SimpleCookie: lambda value: SimpleCookie(),
    ResponseHeaders: lambda value: _copied_headers(value),
}


def _copied_headers(headers: ResponseHeaders) -> ResponseHeaders:
    copied = ResponseHeaders({})
    copied._store = dict(headers._store)
    return copied


@lru_cache(maxsize=8)
def _blank_parts(charset: str) -> tuple[dict[str, Any], list[tuple[str, Any, Any]]] | None:
    """What Django sets on a new response: the values to share, and those to make anew.

    None for a Django that sets values of an unknown kind.
    """
    attributes = vars(SimpleTemplateResponse(_NO_TEMPLATE))
    shared = {name: value for name, value in attributes.items() if type(value) in _SHARED_TYPES}
    made = [
        (name, _NEW_VALUES.get(type(value)), value)
        for name, value in attributes.items()
        if name not in shared
    ]
    return (shared, made) if all(maker for _name, maker, _value in made) else None


def _blank_attributes() -> dict[str, Any] | None:
    """The attributes of a new response, without the long way through Django's constructors."""
    parts = _blank_parts(settings.DEFAULT_CHARSET)
    if parts is None:
        return None
    attributes = parts[0].copy()
    for name, maker, value in parts[1]:
        attributes[name] = maker(value)
    return attributes


class Response(SimpleTemplateResponse):
    """Takes primitive data; the view adds the renderer that the client's headers select.

    ``template_name`` is for renderers that fill a template. ``exception`` marks the response to an
    error. ``content_type`` replaces the one of the renderer. Raises AssertionError for a serializer
    in place of its data.
    """

    accepted_renderer: Any
    accepted_media_type: str | None
    renderer_context: dict[str, Any]

    def __init__(
        self,
        data: Any = None,
        status: int | None = None,
        template_name: Any = None,
        headers: Mapping[str, Any] | None = None,
        exception: bool = False,
        content_type: str | None = None,
    ) -> None:
        blank = _blank_attributes()
        if blank is None or status not in _STATUSES:
            super().__init__(_NO_TEMPLATE, status=status)
        else:
            self.__dict__.update(blank)
            if status is not None:
                self.status_code = int(status)
        if isinstance(data, Serializer):
            raise AssertionError(
                "You passed a Serializer instance as data, but probably meant to pass serialized "
                f"`.data` or `.errors`. Write Response(serializer.data) for {type(data).__name__}."
            )
        self.data = data
        self.template_name = template_name
        self.exception = exception
        self.content_type = content_type
        for name, value in (headers or {}).items():
            self[name] = value

    def __class_getitem__(cls, *args: Any, **kwargs: Any) -> type[Self]:
        """``Response[Data]`` in annotations."""
        return cls

    @property
    def rendered_content(self) -> Any:
        """The body, made by the accepted renderer; sets the ``Content-Type`` header.

        A body of no bytes has no content type. Raises AssertionError when the view has not set
        the attributes of the negotiation.
        """
        renderer, media_type, context = self._negotiated()
        context["response"] = self
        charset = renderer.charset
        self["Content-Type"] = self._content_type(renderer.media_type, charset)
        content = renderer.render(self.data, media_type, context)
        # A response that referred to itself would wait for the garbage collector.
        context.pop("response", None)
        if isinstance(content, str):
            if not charset:
                raise AssertionError(
                    f"The renderer {type(renderer).__name__} returned unicode, and did not "
                    "specify a charset value: set `charset` on it, or return bytes."
                )
            return content.encode(charset)
        if not content:
            del self["Content-Type"]
        return b"" if content is None else content

    def _negotiated(self) -> tuple[Any, str | None, dict[str, Any]]:
        attributes = self.__dict__
        try:
            return (
                attributes["accepted_renderer"],
                attributes["accepted_media_type"],
                attributes["renderer_context"],
            )
        except KeyError as error:
            raise AssertionError(
                f".{error.args[0]} not set on Response: return it from a view of this package, or "
                "set .accepted_renderer, .accepted_media_type and .renderer_context."
            ) from None

    def _content_type(self, media_type: str, charset: str | None) -> str:
        if self.content_type is not None:
            return self.content_type
        return f"{media_type}; charset={charset}" if charset else media_type

    @property
    def status_text(self) -> str:
        """The reason phrase of the status code, such as "Not Found"; empty for an unknown code."""
        return responses.get(self.status_code, "")

    def __getstate__(self) -> Any:
        """The state for a cache: without what belongs to the request."""
        state: Any = super().__getstate__()
        for name in _REQUEST_ATTRIBUTES:
            state.pop(name, None)
        state["_closable_objects"] = []
        return state
