"""The response of a view: data that is rendered once its format is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import responses
from typing import Any, Self

from django.conf import settings
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse

from lintel.phases import phase
from lintel.serializers.declared import Serializer

#: Attributes that live only as long as the request.
_REQUEST_ATTRIBUTES = (
    *("accepted_renderer", "renderer_context", "resolver_match"),
    *("client", "request", "json", "wsgi_request"),
)


class Response(SimpleTemplateResponse):
    """Takes primitive data; the view adds the renderer that the client's headers select.

    ``template_name`` is for renderers with a template. ``exception`` marks the response to an
    error. ``content_type`` overrides that of the renderer. Raises AssertionError for a serializer
    in place of its data.
    """

    accepted_renderer: Any
    accepted_media_type: str | None
    renderer_context: dict[str, Any]
    _post_render_callbacks: list[Callable[[Any], Any]]

    def __init__(
        self,
        data: Any = None,
        status: int | None = None,
        template_name: Any = None,
        headers: Mapping[str, Any] | None = None,
        exception: bool = False,
        content_type: str | None = None,
    ) -> None:
        if isinstance(data, Serializer):
            raise AssertionError(
                "You passed a Serializer instance as data, but probably meant to pass serialized "
                "`.data` or `.error`. representation. "
                f"Write Response(serializer.data) for {type(data).__name__}."
            )
        # The constructors in between would encode an empty body and look up its charset, twice:
        # a twentieth of an empty request. Theirs are the attributes of the next two lines.
        HttpResponseBase.__init__(self, f"text/html; charset={settings.DEFAULT_CHARSET}", status)
        self._container, self._is_rendered, self._post_render_callbacks = [b""], False, []
        self.context_data = self.using = self._request = None
        self.data = data
        self.template_name = template_name
        self.exception = exception
        self.content_type = content_type
        for name, value in (headers or {}).items():
            self[name] = value

    def __class_getitem__(cls, *args: Any, **kwargs: Any) -> type[Self]:
        return cls

    @property
    @phase("rendering")
    def rendered_content(self) -> Any:
        """The body, as the accepted renderer writes it, without a content type if it is empty."""
        try:
            renderer, media_type = self.accepted_renderer, self.accepted_media_type
            context = self.renderer_context
        except AttributeError as error:
            raise AssertionError(
                f".{error.name} not set on Response: return it from a view of this package, or "
                "set .accepted_renderer, .accepted_media_type and .renderer_context."
            ) from None
        context["response"] = self
        charset, content_type = renderer.charset, self.content_type
        if content_type is None:
            content_type = f"{renderer.media_type}" + (f"; charset={charset}" if charset else "")
        self["Content-Type"] = content_type
        content = renderer.render(self.data, media_type, context)
        # A response with a reference to itself would wait for the garbage collector.
        context.pop("response", None)
        if isinstance(content, str):
            return _encoded(content, renderer)
        if not content:
            del self["Content-Type"]
        return b"" if content is None else content

    @property
    def status_text(self) -> str:
        """Return the reason phrase of the status, such as "Not Found"; empty if it is unknown."""
        return responses.get(self.status_code, "")

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        for name in _REQUEST_ATTRIBUTES:
            state.pop(name, None)
        state["_resource_closers"] = []
        return state


def _encoded(content: str, renderer: Any) -> bytes:
    if not renderer.charset:
        raise AssertionError(
            "renderer returned unicode, and did not specify a charset value. Set `charset` on "
            f"{type(renderer).__name__}, or return bytes."
        )
    return content.encode(renderer.charset)
