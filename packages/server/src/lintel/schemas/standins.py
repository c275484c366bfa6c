"""What stands in for the request of a view that only describes itself."""

from collections.abc import Callable
from functools import cache
from inspect import getattr_static
from traceback import walk_tb
from typing import Any

from django.contrib.messages.storage.base import BaseStorage, Message
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property

from lintel.annotations import AnyView
from lintel.cycle.steps import complete
from lintel.generics import GenericAPIView
from lintel.request import Request
from lintel.settings import api_settings

Warn = Callable[..., None]

#: The package whose own methods no warning blames.
OWN_PACKAGE = __name__.partition(".")[0]

CURE = (
    'While a view is described, getattr(self, "swagger_fake_view", False) is True: test it there, '
    "or provide what is missing by the setting SCHEMA_REQUEST"
)


class _HttpRequest(HttpRequest):
    # Made when they are first read, because few views read them.
    GET: Any = cached_property(lambda self: QueryDict(mutable=True))
    POST: Any = cached_property(lambda self: QueryDict(mutable=True))
    FILES: Any = cached_property(lambda self: MultiValueDict())
    COOKIES: Any = cached_property(lambda self: {})
    session: Any = cached_property(lambda self: SessionStore())
    _messages: Any = cached_property(lambda self: _Messages(self))

    def __init__(self) -> None:
        vars(self).update(_plain_attributes())

    def get_host(self) -> str:
        """Return a host without comparing it with ALLOWED_HOSTS: no client has chosen it."""
        return str(self.META["SERVER_NAME"])


@cache
def _plain_attributes() -> dict[str, object]:
    """Return what every request has, without what is made when it is first read."""
    given = vars(HttpRequest())
    return {name: value for name, value in given.items() if name not in vars(_HttpRequest)}


class _Messages(BaseStorage):
    """Messages that are stored nowhere, whatever storage the project has."""

    def _get(self, *args: object, **kwargs: object) -> tuple[list[Message], bool]:
        return [], True

    def _store(self, *args: object, **kwargs: object) -> list[Message]:
        return []


def stand_in_request(view: AnyView, path: str, method: str) -> Request:
    """Return a request for a view that is described without one; the default of SCHEMA_REQUEST.

    It is anonymous, has the method of the operation, its path with ``{name}`` for each parameter,
    an empty query, empty data, a session and messages, the first renderer, the default version.
    """
    http_request = _HttpRequest()
    http_request.method = method
    http_request.path = http_request.path_info = path
    http_request.META = {
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
    }
    request = Request(http_request, negotiator=view.content_negotiation_class())
    renderers = list(view.renderer_classes)
    if renderers:
        request.accepted_renderer = renderers[0]()
        request.accepted_media_type = renderers[0].media_type
    scheme = view.versioning_class
    request.versioning_scheme = None if scheme is None else scheme()
    request.version = getattr(scheme, "default_version", None)
    return request


def prepare(view: AnyView, path: str, method: str, warn: Warn, version: object = None) -> None:
    """Mark a view as one that only describes itself, and give it a request if it has none."""
    make = api_settings.SCHEMA_REQUEST
    try:
        view.swagger_fake_view = True
        if view.request is None and make is not None:
            request = view.request = make(view, path, method)
            if request is not None and version is not None:
                request.version = version
    except Exception as error:  # project code
        warn(f"there is no request to describe it with: {error!r}", type(view))


def failure(view: AnyView, error: Exception) -> str:
    """Return an error, with the method of the view in which it arose, its file and its line."""
    place = ""
    for frame, line in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_locals.get("self") is view and module.partition(".")[0] != OWN_PACKAGE:
            place = f" in {frame.f_code.co_name}() ({frame.f_code.co_filename}:{line})"
    return f"{error!r}{place}"


def serializer_of(view: AnyView, warn: Warn) -> object:
    """Return the serializer of a view; if making it fails, see ``serializer_instead``."""
    try:
        return view.get_serializer()
    except Exception as error:  # project code
        return serializer_instead(view, error, warn)


def serializer_if_any(view: AnyView, warn: Warn) -> tuple[object, bool]:
    """Return the same, and whether the view has none, which is no failure."""
    try:
        return view.get_serializer(), False
    except Exception as error:  # project code
        is_without = _is_of_no_class(error)
        return None if is_without else serializer_instead(view, error, warn), is_without


def serializer_instead(view: AnyView, error: Exception, warn: Warn) -> object:
    """Return a serializer of the view's ``serializer_class``, with a warning; None without one."""
    context = {"request": view.request, "format": view.format_kwarg, "view": view}
    try:
        result = view.serializer_class(context=context)
    except Exception:  # there is none, or its constructor fails too
        result = None
    said = "its fields are not known" if result is None else "its serializer_class is described"
    cure = "" if lacks_serializer_class(view) else f". {CURE}"
    warn(f"get_serializer() failed, {said}: {failure(view, error)}{cure}", type(view))
    return result


def _is_of_no_class(error: Exception) -> bool:
    """Say whether it only says that there is no ``serializer_class``, to a method around ours."""
    frames = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    return frames[-1:] == [GenericAPIView.get_serializer_class.__code__]


def lacks_serializer_class(view: AnyView) -> bool:
    """Return whether a generic view neither has a ``serializer_class`` nor chooses one."""
    chooses = getattr(type(view), "get_serializer_class", None)
    is_plain = chooses is GenericAPIView.get_serializer_class
    return is_plain and getattr_static(view, "serializer_class", None) is None


def chooses_rows(view: AnyView) -> bool:
    chooses = getattr(type(view), "get_queryset", None)
    return chooses not in (None, GenericAPIView.get_queryset)


def queryset_of(view: AnyView, warn: Warn) -> QuerySet[Any] | None:
    """Return the rows of a view; if asking fails, its ``queryset``, which may be None."""
    try:
        result: QuerySet[Any] | None = complete(view.get_queryset())
        return result
    except Exception as error:  # project code
        warn(f"get_queryset() failed: {failure(view, error)}. {CURE}", type(view))
        return getattr(view, "queryset", None)
