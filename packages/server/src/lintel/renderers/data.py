"""Renderers of data: JSON, HTML from templates of the project, and forms for tests."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.template import engines, loader
from django.test.client import encode_multipart

from lintel import fast
from lintel.compat import INDENT_SEPARATORS, LONG_SEPARATORS, SHORT_SEPARATORS
from lintel.fast import PLAIN
from lintel.marks import prompt_when
from lintel.overrides import is_ours
from lintel.renderers.odd_floats import finite, odd_float
from lintel.response import Response
from lintel.settings import ERROR, SettingDefault
from lintel.utils import encoders, json
from lintel.utils.form_names import flattened
from lintel.utils.json import escape_separators
from lintel.utils.mediatypes import parse_media_type

_OUT_OF_RANGE = (
    "Out of range float values are not JSON compliant: {value!r} in {place}. Write another value "
    'there, or set NON_FINITE to "null" or "string".'
)

#: What a view tells renderers: ``view``, ``request``, ``response``, ``args`` and ``kwargs``.
RendererContext: TypeAlias = Mapping[str, Any]
Context: TypeAlias = RendererContext | None

TemplateContext: TypeAlias = dict[str, Any]

#: A view of any class: views stand above renderers.
View: TypeAlias = Any

_SURROGATES = re.compile("[\ud800-\udfff]")

#: The widest indentation that a client may request, in spaces.
MAX_INDENT = 8


def zero_as_none(value: int) -> int | None:
    return None if value == 0 else value


class BaseRenderer:
    """Turns the data of a response into its body.

    ``media_type`` is matched with the Accept header, ``format`` with the suffix or query parameter.
    ``charset`` is named in the content type and encodes a body given as text; None for bytes.
    ``render_style`` is "text" or "binary".
    """

    media_type: str | None = None
    format: str | None = None
    charset: str | None = "utf-8"
    render_style = "text"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> Any:
        """Return the body, as text or bytes."""
        raise NotImplementedError(
            "Renderer class requires .render() to be implemented: "
            f"{type(self).__name__}.render() returns text or bytes."
        )


def _is_plain(
    renderer: JSONRenderer, data: object, media_type: object = None, context: object = None
) -> bool:
    return is_ours(renderer.get_indent) and fast.knows(data, renderer.encoder_class)


class JSONRenderer(BaseRenderer):
    """JSON (RFC 8259).

    The settings COMPACT_JSON, UNICODE_JSON and STRICT_JSON affect the form. Clients request
    indentation with a parameter of the media type, ``Accept: application/json; indent=4``.
    """

    media_type: str | None = "application/json"
    format: str | None = "json"
    encoder_class: Any = encoders.JSONEncoder
    compact: Any = SettingDefault("COMPACT_JSON")
    strict: Any = SettingDefault("STRICT_JSON")
    #: What NaN and the infinities become: "null", "string", or an error ("error").
    non_finite: Any = SettingDefault("NON_FINITE")
    # JSON is UTF-8 by definition: a charset parameter has no meaning (RFC 8259, section 11).
    charset: str | None = None
    ensure_ascii: Any = SettingDefault("UNICODE_JSON", operator.not_)

    def get_indent(
        self, accepted_media_type: str | None, renderer_context: RendererContext
    ) -> int | None:
        if accepted_media_type and "indent" in accepted_media_type.lower():
            params = parse_media_type(accepted_media_type).params
            try:
                return zero_as_none(max(min(int(params["indent"]), MAX_INDENT), 0))
            except (KeyError, ValueError):
                pass
        return renderer_context.get("indent")

    @prompt_when(_is_plain)
    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Return JSON in UTF-8; no bytes for None.

        Raises ValueError for NaN and the infinities unless NON_FINITE or STRICT_JSON say otherwise,
        TypeError for a value that the encoder does not know.
        """
        if data is None:
            return b""
        indent = self.get_indent(accepted_media_type, renderer_context or {})
        if self.compact and not self.ensure_ascii and indent is None:
            text = fast.text(data, self.encoder_class)
            if text is not PLAIN:
                return text
        return _render_slowly(self, data, indent)


def _render_slowly(renderer: JSONRenderer, data: object, indent: int | None) -> bytes:
    if indent is None:
        separators = SHORT_SEPARATORS if renderer.compact else LONG_SEPARATORS
    else:
        separators = INDENT_SEPARATORS
    encoder = renderer.encoder_class
    if renderer.non_finite != ERROR:
        # At once, because what an iterator yields can be written only once.
        data, encoder = finite(data, renderer.non_finite), finite_encoder(encoder, renderer)
    try:
        text = json.dumps(
            data,
            cls=encoder,
            indent=indent,
            ensure_ascii=renderer.ensure_ascii,
            allow_nan=not renderer.strict,
            separators=separators,
        )
    except ValueError as error:
        place = odd_float(data)
        if place is None or not place.path:
            raise
        raise ValueError(_OUT_OF_RANGE.format(value=place.value, place=place)) from error
    return escape_separators(encode_text(text))


def finite_encoder(encoder: Any, renderer: JSONRenderer) -> Any:
    """Return the encoder, for which converted values hold no NaN and no infinity either."""

    class FiniteEncoder(encoder):
        def default(self, obj: object) -> object:
            return finite(super().default(obj), renderer.non_finite)

    return FiniteEncoder


def encode_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # For these code points, the escapes of "backslashreplace" are those of JSON.
        return text.encode(errors="backslashreplace")


def header_name(environ_name: str) -> str:
    return environ_name.removeprefix("HTTP_").replace("_", "-")


def encodable(html: str) -> str:
    """Return HTML without lone surrogates, which JSON may contain and UTF-8 cannot encode."""
    return _SURROGATES.sub("\ufffd", html) if _SURROGATES.search(html) else html


class NDJSONRenderer(JSONRenderer):
    """The items of a list as lines, and any other data as one line.

    With :class:`lintel.streaming.StreamingListMixin` lists are sent while they are read. Set
    ``media_type`` and ``format`` on a subclass for ``application/jsonl``.
    """

    media_type = "application/x-ndjson"
    format = "ndjson"

    def get_indent(
        self, accepted_media_type: str | None, renderer_context: RendererContext
    ) -> int | None:
        """Return None: a value must stay on its line."""
        return None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Return lines in UTF-8, each ending with a line feed; no bytes for None."""
        if data is None:
            return b""
        items = data if isinstance(data, list | tuple) else [data]
        render = super().render
        return b"".join(render(item) + b"\n" if item is not None else b"null\n" for item in items)


class TemplateHTMLRenderer(BaseRenderer):
    """HTML from a template of the project.

    The template is that of the response, of the renderer (``template_name``) or of the view
    (``template_name``, ``get_template_names()``). Its context is the data of the response. An error
    uses the first of ``exception_template_names`` that exists.
    """

    media_type: str | None = "text/html"
    format: str | None = "html"
    template_name: str | None = None
    exception_template_names: Sequence[str] = ["%(status_code)s.html", "api_exception.html"]

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> Any:
        """Return the page. Raises ImproperlyConfigured if no template is named."""
        renderer_context = renderer_context or {}
        response = renderer_context["response"]
        if response.exception:
            template = self.get_exception_template(response)
        else:
            names = self.get_template_names(response, renderer_context["view"])
            template = self.resolve_template(names)
        context = self.get_template_context(data, renderer_context)
        return encodable(template.render(context, request=renderer_context["request"]))

    def resolve_template(self, template_names: Any) -> Any:
        return loader.select_template(template_names)

    def get_template_context(self, data: Any, renderer_context: RendererContext) -> Any:
        """Return the context: a list goes under ``details``, an error adds ``status_code``."""
        response = renderer_context["response"]
        if isinstance(data, dict):
            return {**data, "status_code": response.status_code} if response.exception else data
        if isinstance(data, list) or response.exception:
            return {"details": data, "status_code": response.status_code}
        return data

    def get_template_names(self, response: Any, view: Any) -> Any:
        for name in (response.template_name, self.template_name):
            if name:
                return [name] if isinstance(name, str) else list(name)
        if hasattr(view, "get_template_names"):
            return view.get_template_names()
        if getattr(view, "template_name", None):
            return [view.template_name]
        raise ImproperlyConfigured(
            "Returned a template response with no `template_name` attribute set on either the view "
            f"or response. Set it on the response, on {type(view).__name__} or on "
            f"{type(self).__name__}."
        )

    def get_exception_template(self, response: Response) -> Any:
        """Return the template of an error, or a line of text if the project has none."""
        status = {"status_code": response.status_code}
        names = [name % status for name in self.exception_template_names]
        try:
            return self.resolve_template(names)
        except Exception:
            line = f"{response.status_code} {response.status_text.title()}"
            return engines["django"].from_string(line)


class StaticHTMLRenderer(TemplateHTMLRenderer):
    """HTML made by the view itself: the data of the response is the page."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> Any:
        response = (renderer_context or {}).get("response")
        if response is None or not response.exception:
            return data
        return super().render(data, accepted_media_type, renderer_context)


class MultiPartRenderer(BaseRenderer):
    """A multipart form, as clients send it; for requests in tests."""

    media_type: str | None = "multipart/form-data; boundary=BoUnDaRyStRiNg"
    format: str | None = "multipart"
    BOUNDARY = "BoUnDaRyStRiNg"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Return the form of a mapping. Raises AssertionError for a mapping inside it."""
        for key, value in data.items() if hasattr(data, "items") else ():
            if isinstance(value, dict):
                raise AssertionError(
                    f"Test data contained a dictionary value for key '{key}', but multipart "
                    "uploads do not support nested data. You may want to consider using "
                    "format='json' in this test case."
                )
        return encode_multipart(self.BOUNDARY, data)


class NestedMultiPartRenderer(MultiPartRenderer):
    """The same, with names that lead into nested data, as NestedMultiPartParser reads them."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Context = None
    ) -> bytes:
        """Return the form of a mapping: of text, files, lists and mappings."""
        return encode_multipart(self.BOUNDARY, dict(flattened(data)))
