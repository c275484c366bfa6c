"""Content negotiation: which parser reads the body, which renderer writes the response."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from django.http import Http404

from lintel import exceptions as exceptions
from lintel.settings import api_settings as api_settings
from lintel.utils.mediatypes import _MediaType, by_precedence, parse_media_type
from lintel.utils.mediatypes import media_type_matches as media_type_matches
from lintel.utils.mediatypes import order_parsed_by_precedence as order_parsed_by_precedence

#: Longer headers are parsed each time: the cache stays small whatever clients send.
CACHED_LENGTH = 256

_media_type_of = attrgetter("media_type")


class BaseContentNegotiation:
    """Base of content negotiation: a subclass implements both methods."""

    def select_parser(self, request: Any, parsers: Sequence[Any]) -> Any:
        raise NotImplementedError(
            f".select_parser() must be implemented. {type(self).__name__}.select_parser() returns "
            "a parser or None."
        )

    def select_renderer(
        self, request: Any, renderers: Sequence[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        raise NotImplementedError(
            f".select_renderer() must be implemented. {type(self).__name__}.select_renderer() "
            "returns a pair (renderer, media type)."
        )


class DefaultContentNegotiation(BaseContentNegotiation):
    """Negotiation by the ``Content-Type`` and ``Accept`` headers (RFC 9110, section 12.5.1).

    Of the acceptable types the most specific one wins, then the order of the view's renderers;
    ``q`` weights do not count. A format suffix, or the query parameter named by the setting
    ``URL_FORMAT_OVERRIDE``, narrows the renderers to those of that format first.

    Headers are read within limits: ``max_accept_header_length`` characters of ``Accept``,
    ``max_accept_tokens`` media types in it, ``max_media_type_length`` characters in each.
    """

    settings: Any = api_settings
    max_accept_header_length = 8192
    max_accept_tokens = 64
    max_media_type_length = 256

    def select_parser(self, request: Any, parsers: Sequence[Any]) -> Any:
        content_type = request.content_type
        if len(content_type) > self.max_media_type_length:
            return None
        for parser in parsers:
            if media_type_matches(parser.media_type, content_type):
                return parser
        return None

    def select_renderer(
        self, request: Any, renderers: Sequence[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        """Return renderer and media type. Raises Http404 for an unknown format, NotAcceptable."""
        wanted = format_suffix or _wanted_format(self, request)
        if wanted:
            renderers = self.filter_renderers(renderers, wanted)
        available = tuple(map(_media_type_of, renderers))
        accepted = tuple(self.get_accept_list(request))
        is_short = sum(map(len, accepted)) <= CACHED_LENGTH
        selected = (_select if is_short else _select.__wrapped__)(accepted, available)
        if selected is None:
            raise exceptions.NotAcceptable(available_renderers=renderers)
        index, media_type = selected
        return renderers[index], media_type

    def filter_renderers(self, renderers: Iterable[Any], format: str) -> list[Any]:
        """Return the renderers of one format. Raises Http404 if there is none."""
        matching = [renderer for renderer in renderers if renderer.format == format]
        if not matching:
            raise Http404
        return matching

    def get_accept_list(self, request: Any) -> list[str]:
        """Return the media types of the ``Accept`` header in their order; ``*/*`` without one."""
        header = request.META.get("HTTP_ACCEPT", "*/*")
        if len(header) > self.max_accept_header_length:
            # The last entry may have been truncated: it is left out.
            header = header[: self.max_accept_header_length].rpartition(",")[0]
        longest = self.max_media_type_length
        accepted = [text for part in header.split(",") if 0 < len(text := part.strip()) <= longest]
        return accepted[: self.max_accept_tokens]


@lru_cache(maxsize=512)
def _select(accepted: tuple[str, ...], available: tuple[str | None, ...]) -> tuple[int, str] | None:
    for group in by_precedence(map(parse_media_type, accepted)):
        for index, media_type in enumerate(available):
            result = _first_match(media_type, group)
            if result is not None:
                return index, result
    return None


def _first_match(media_type: str | None, accepted: Iterable[_MediaType]) -> str | None:
    if not media_type:
        return None
    parsed = parse_media_type(media_type)
    for wanted in accepted:
        if parsed.match(wanted):
            if parsed.precedence <= wanted.precedence:
                return wanted.orig
            # A range is replaced by the renderer's type, with the parameters of the range.
            parameters = (f"{name}={value}" for name, value in wanted.params.items())
            return ";".join([parsed.orig, *parameters])
    return None


def _wanted_format(negotiator: DefaultContentNegotiation, request: Any) -> str | None:
    http_request = getattr(request, "_request", request)
    # An empty query is not parsed. Middleware may have put other parameters in place of the URL's.
    if http_request.META.get("QUERY_STRING") == "" and "GET" not in vars(http_request):
        return None
    parameter = negotiator.settings.URL_FORMAT_OVERRIDE
    return request.query_params.get(parameter) if parameter else None


def takes_patches(view: Any, method: str | None) -> bool:
    """Return whether a request may be a patch: PATCH of the object at a URL, by ``PatchMixin``."""
    if method != "PATCH" or not hasattr(view, "patch_parser_classes"):
        return False
    actions = getattr(view, "action_map", None)
    return actions is None or actions.get("patch") == "partial_update"


#: The actions of bulk writes, by method: the URL of a list names no object.
BULK_ACTIONS = {
    "put": "bulk_update",
    "patch": "partial_bulk_update",
    "delete": "bulk_destroy",
}


def writes_many(view: Any, method: str | None) -> bool:
    """Return whether a method changes or deletes several objects, by ``BulkModelMixin``."""
    actions = getattr(view, "action_map", None) or {}
    action = actions.get((method or "").lower())
    is_bulk = hasattr(view, "max_items") and hasattr(view, "throttle_items")
    return is_bulk and action is not None and action in BULK_ACTIONS.values()


def parser_classes_of(view: Any, method: str) -> list[Any]:
    """Return the parsers of the bodies of one method."""
    patches = view.patch_parser_classes if takes_patches(view, method) else ()
    return [*view.parser_classes, *patches]
