"""Factories create requests for calling views without a server and without URLs."""

from collections.abc import Callable
from typing import Any, Protocol

from django.conf import settings
from django.test.client import AsyncRequestFactory, RequestFactory
from django.utils.encoding import force_bytes
from django.utils.http import urlencode

from lintel.annotations import AnyRequest, AnyUser, Setting
from lintel.settings import SettingDefault


def force_authenticate(request: AnyRequest, user: AnyUser = None, token: AnyUser = None) -> None:
    """Make a view use ``user`` and ``token`` for this request, whatever its authenticators do."""
    request._force_auth_user = user
    request._force_auth_token = token


class APIRequestMixin:
    """Encodes data in a ``format`` of TEST_REQUEST_RENDERER_CLASSES, or in ``default_format``."""

    renderer_classes_list: Setting = SettingDefault("TEST_REQUEST_RENDERER_CLASSES")
    default_format: Setting = SettingDefault("TEST_REQUEST_DEFAULT_FORMAT")
    renderer_classes: dict[str, Setting]

    def _encode_data(
        self, data: object, format: str | None = None, content_type: str | None = None
    ) -> tuple[bytes, str | None]:
        """Return body and content type. Raises AssertionError for a format that is not set up."""
        if data is None:
            return b"", content_type
        if format and content_type:
            raise AssertionError(
                "You may not set both `format` and `content_type`. The format names the type."
            )
        if content_type:
            return _encoded_as(self, data, content_type), content_type
        format = format or self.default_format
        if format not in self.renderer_classes:
            available = ", ".join(f"'{name}'" for name in self.renderer_classes)
            raise AssertionError(
                f"Invalid format '{format}'. Available formats are {available}. Set "
                "TEST_REQUEST_RENDERER_CLASSES to enable extra request formats."
            )
        renderer = self.renderer_classes[format]()
        media_type = renderer.media_type
        if renderer.charset:
            media_type = f"{media_type}; charset={renderer.charset}"
        return force_bytes(renderer.render(data), renderer.charset or "utf-8"), media_type


def set_renderers(factory: APIRequestMixin) -> None:
    factory.renderer_classes = {item.format: item for item in factory.renderer_classes_list}


def _encoded_as(factory: Any, data: Any, content_type: str) -> bytes:
    # Django encodes dicts and lists if the type is JSON.
    return force_bytes(factory._encode_json(data, content_type), settings.DEFAULT_CHARSET)


class SendsData(Protocol):
    """Makes or sends a request with ``data`` in ``format``, or unchanged as ``content_type``."""

    def __call__(
        self,
        path: str,
        data: object = None,
        format: str | None = None,
        content_type: str | None = None,
        **extra: object,
    ) -> Any: ...


def named_method(name: str, function: Callable[..., object]) -> Any:
    function.__name__ = name.lower()
    function.__doc__ = SendsData.__doc__
    return function


def _requesting(method: str) -> SendsData:
    def request(
        self: Any,
        path: str,
        data: Any = None,
        format: str | None = None,
        content_type: str | None = None,
        **extra: Any,
    ) -> Any:
        body, encoded_type = self._encode_data(data, format, content_type)
        return self.generic(method, path, body, encoded_type, **extra)

    return named_method(method, request)


def query_environ(path: str, data: Any) -> dict[str, str]:
    """``data``, else the query string of the path."""
    if not data and "?" in path:
        return {"QUERY_STRING": path.split("?", 1)[1]}
    return {"QUERY_STRING": urlencode(data or {}, doseq=True)}


class _RequestMaker(APIRequestMixin):
    def __init__(self, enforce_csrf_checks: bool = False, **defaults: Any) -> None:
        self.enforce_csrf_checks = enforce_csrf_checks
        set_renderers(self)
        super().__init__(**defaults)

    def request(self, **kwargs: Any) -> Any:
        request = super().request(**kwargs)  # type: ignore[misc]
        request._dont_enforce_csrf_checks = not self.enforce_csrf_checks
        return request

    def get(self, path: str, data: Any = None, **extra: Any) -> Any:
        query = query_environ(path, data)
        if not isinstance(self, AsyncRequestFactory):  # WSGI hands on bytes as Latin-1 (PEP 3333)
            query["QUERY_STRING"] = query["QUERY_STRING"].encode().decode("iso-8859-1")
        return self.generic("GET", path, **{**query, **extra})

    post: SendsData = _requesting("POST")
    put: SendsData = _requesting("PUT")
    patch: SendsData = _requesting("PATCH")
    delete: SendsData = _requesting("DELETE")
    options: SendsData = _requesting("OPTIONS")

    def generic(
        self,
        method: str,
        path: str,
        data: Any = "",
        content_type: str | None = "application/octet-stream",
        secure: bool = False,
        **extra: Any,
    ) -> Any:
        """Return a request of any method. On the loop headers may have their WSGI names, too."""
        if isinstance(self, AsyncRequestFactory):
            extra = {name.removeprefix("HTTP_"): value for name, value in extra.items()}
        elif content_type is not None:
            # Even without a body.
            extra["CONTENT_TYPE"] = str(content_type)
        arguments = (method, path, data, content_type or "", secure)
        return super().generic(*arguments, **extra)  # type: ignore[misc]


class APIRequestFactory(_RequestMaker, RequestFactory):  # type: ignore[misc]
    """Creates requests; ``defaults`` are WSGI variables, ``headers`` a mapping of headers."""


class AsyncAPIRequestFactory(_RequestMaker, AsyncRequestFactory):  # type: ignore[misc]
    """Creates ASGI requests for views; takes the arguments of APIRequestFactory."""
