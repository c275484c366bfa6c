"""The response of a view: data that is rendered once its format is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from http.client import responses
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any

from django.core.signals import setting_changed
from django.http.response import ResponseHeaders
from django.template.response import SimpleTemplateResponse

from lintel.serializers.declared import Serializer

if TYPE_CHECKING:
    from typing import Self

#: Attributes that live only as long as the request.
_REQUEST_ATTRIBUTES = (
    "accepted_renderer",
    "renderer_context",
    "resolver_match",
    "client",
    "request",
    "json",
    "wsgi_request",
)


#: Django expects a template; the renderer takes its place.
_NO_TEMPLATE: Any = None
_STATUSES = frozenset([None, *range(100, 600)])
_SHARED_TYPES = (type(None), bool, int, str, bytes)


class _Blank:
    """The attributes that Django sets on a new response.

    ``shared`` are the same for all responses; ``lists``, and the attributes that are called
    ``headers`` and ``cookies``, are created anew. Django's constructors take three times as long,
    and read a setting.
    """

    __slots__ = ("cookies", "headers", "is_known", "lists", "shared", "store")

    def __init__(self) -> None:
        attributes = vars(SimpleTemplateResponse(_NO_TEMPLATE))
        self.shared = {n: value for n, value in attributes.items() if type(value) in _SHARED_TYPES}
        names = {type(value): name for name, value in attributes.items()}
        self.lists = [(n, value) for n, value in attributes.items() if type(value) is list]
        self.headers = names.get(ResponseHeaders, "")
        self.cookies = names.get(SimpleCookie, "")
        # A later Django may set values of other types.
        known = {*self.shared, *dict(self.lists), self.headers, self.cookies}
        self.is_known = attributes.keys() == known
        self.store = dict(attributes[self.headers]._store) if self.is_known else {}

    def fill(self, state: dict[str, Any]) -> None:
        """Set all attributes in the ``__dict__`` of a response."""
        state.update(self.shared)
        for name, value in self.lists:
            state[name] = value.copy()
        headers = state[self.headers] = ResponseHeaders.__new__(ResponseHeaders)
        headers._store = self.store.copy()
        # The constructor only reads its argument.
        state[self.cookies] = SimpleCookie.__new__(SimpleCookie)


_blank: _Blank | None = None


def _forget_blank(*, setting: str, **kwargs: Any) -> None:
    global _blank
    if setting == "DEFAULT_CHARSET":
        _blank = None


setting_changed.connect(_forget_blank)


@lru_cache(maxsize=256)
def _content_type(media_type: str, charset: str | None) -> tuple[str, str]:
    """Return the header for a renderer's content type, checked and encoded as Django does."""
    value = f"{media_type}; charset={charset}" if charset else media_type
    return ResponseHeaders({"Content-Type": value})._store["content-type"]


class Response(SimpleTemplateResponse):
    """Takes primitive data; the view adds the renderer that the client's headers select.

    ``template_name`` is for renderers with a template. ``exception`` marks the response to an
    error. ``content_type`` overrides that of the renderer. Raises AssertionError for a serializer
    in place of its data.
    """

    accepted_renderer: Any
    accepted_media_type: str | None
    renderer_context: dict[str, Any]
    _is_rendered: bool
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
        global _blank
        blank = _blank
        if blank is None:
            blank = _blank = _Blank()
        if blank.is_known and status in _STATUSES:
            blank.fill(self.__dict__)
            if status is not None:
                self.status_code: int = int(status)
        else:
            super().__init__(_NO_TEMPLATE, status=status)
        if isinstance(data, Serializer):
            raise AssertionError(
                "You passed a Serializer instance as data, but probably meant to pass serialized "
                "`.data` or `.error`. representation. "
                f"Write Response(serializer.data) for {type(data).__name__}."
            )
        self.data = data
        self.template_name = template_name
        self.exception = exception
        self.content_type = content_type
        if headers:
            for name, value in headers.items():
                self[name] = value

    def __class_getitem__(cls, *args: Any, **kwargs: Any) -> type[Self]:
        """Allow ``Response[Data]`` in annotations."""
        return cls

    def render(self) -> Any:
        """Render the data, once; return this response, or what a callback replaces it with."""
        if self._is_rendered:
            return self
        content = self.rendered_content
        if type(content) is bytes and type(self).content is _CONTENT:
            self._container = [content]
            self._is_rendered = True
        else:
            self.content = content
        rendered = self
        for callback in self._post_render_callbacks:
            replaced = callback(rendered)
            rendered = rendered if replaced is None else replaced
        return rendered

    @property
    def rendered_content(self) -> Any:
        """Return the body from the accepted renderer; set the ``Content-Type`` header.

        An empty body has no content type. Raises AssertionError if the view has not set
        the attributes of the negotiation.
        """
        attributes = self.__dict__
        try:
            renderer = attributes["accepted_renderer"]
            media_type = attributes["accepted_media_type"]
            context = attributes["renderer_context"]
        except KeyError as error:
            raise _not_negotiated(error) from None
        context["response"] = self
        charset = renderer.charset
        if self.content_type is None:
            self.headers._store["content-type"] = _content_type(renderer.media_type, charset)
        else:
            self["Content-Type"] = self.content_type
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
        """Return the state for a cache: without attributes of the request."""
        state: Any = super().__getstate__()
        for name in _REQUEST_ATTRIBUTES:
            state.pop(name, None)
        state["_resource_closers"] = []
        return state


_CONTENT = Response.content


def _encoded(content: str, renderer: Any) -> bytes:
    if not renderer.charset:
        raise AssertionError(
            "renderer returned unicode, and did not specify a charset value. Set `charset` on "
            f"{type(renderer).__name__}, or return bytes."
        )
    return content.encode(renderer.charset)


def _not_negotiated(missing: KeyError) -> AssertionError:
    return AssertionError(
        f".{missing.args[0]} not set on Response: return it from a view of this package, or "
        "set .accepted_renderer, .accepted_media_type and .renderer_context."
    )
