"""Versioning: which version of the API a request asks for, and how URLs contain it.

A scheme is chosen by the setting DEFAULT_VERSIONING_CLASS or by ``versioning_class`` of a view. The
version is then ``request.version``, the scheme itself ``request.versioning_scheme``.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from django.utils.translation import gettext_lazy as _

from lintel import exceptions as exceptions
from lintel.annotations import AnyRequest, AnyView, Setting
from lintel.compat import unicode_http_header as unicode_http_header
from lintel.problems.places import about_parameter
from lintel.reverse import UrlArguments, ViewName, _reverse
from lintel.settings import SettingDefault
from lintel.settings import api_settings as api_settings
from lintel.utils.mediatypes import _MediaType as _MediaType
from lintel.utils.mediatypes import parse_media_type
from lintel.utils.urls import replace_query_param as replace_query_param

Version: TypeAlias = Any  # text, unless a project's scheme makes something else of it


class BaseVersioning:
    """Base of a scheme: a subclass overrides ``determine_version``, and ``reverse`` if URLs matter.

    ``default_version``: for requests that name none. ``allowed_versions``: the only valid ones;
    empty or None for any; the default is always valid. ``version_param``: the name under which
    requests contain the version.
    """

    default_version: Setting = SettingDefault("DEFAULT_VERSION")
    allowed_versions: Setting = SettingDefault("ALLOWED_VERSIONS")
    version_param: Setting = SettingDefault("VERSION_PARAM")
    invalid_version_message: Setting

    #: Request headers that determine the version, sent to caches in ``Vary`` (RFC 9110, 12.5.5).
    #: Host, path and query are part of the URL, which distinguishes cached responses anyway.
    vary_headers: Sequence[str] = ()

    #: Deprecated versions, each with a date or a :class:`lintel.retirement.Deprecation`.
    #: Their responses have ``Deprecation`` and ``Sunset``; those of the view take precedence.
    deprecated_versions: Mapping[Version, Setting] = {}

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        """Return the version of ``request``. ``args`` and ``kwargs`` are those of the view."""
        raise NotImplementedError(
            f"{type(self).__name__}.determine_version() must be implemented. "
            "It returns the version."
        )

    def reverse(
        self,
        viewname: ViewName,
        args: UrlArguments = None,
        kwargs: UrlArguments = None,
        request: AnyRequest = None,
        format: str | None = None,
        **extra: object,
    ) -> str:
        """Return the URL of a view, in the version of ``request``. Raises NoReverseMatch."""
        return _reverse(viewname, args, kwargs, request, format, **extra)

    def get_query_params(self, view: AnyView) -> Sequence[str]:
        return ()

    def is_allowed_version(self, version: Version) -> bool:
        if not self.allowed_versions:
            return True
        is_default = version is not None and version == self.default_version
        return is_default or version in self.allowed_versions


def _checked(
    scheme: BaseVersioning,
    version: Version,
    parameter: str,
    refusal: type[exceptions.APIException] = exceptions.NotFound,
) -> Version:
    if not scheme.is_allowed_version(version):
        raise about_parameter(refusal(scheme.invalid_version_message), parameter)
    return version


class AcceptHeaderVersioning(BaseVersioning):
    """``Accept: application/json; version=1.0``."""

    invalid_version_message: Setting = _('Invalid version in "Accept" header.')
    vary_headers: tuple[str] = ("Accept",)

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        """Return the parameter of the media type. Raises NotAcceptable for another version."""
        params = parse_media_type(request.accepted_media_type).params
        version = unicode_http_header(params.get(self.version_param, self.default_version))
        return _checked(self, version, "Accept", exceptions.NotAcceptable)

    # The version is not part of a URL: the next request sends it in its header as well.


class URLPathVersioning(BaseVersioning):
    """``/v1/users/``, by a pattern with an argument: ``path("<str:version>/users/", …)``."""

    invalid_version_message: Setting = _("Invalid version in URL path.")

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        version = kwargs.get(self.version_param)
        if version is None:
            version = self.default_version
        return _checked(self, version, self.version_param)

    def reverse(
        self,
        viewname: ViewName,
        args: UrlArguments = None,
        kwargs: UrlArguments = None,
        request: AnyRequest = None,
        format: str | None = None,
        **extra: object,
    ) -> str:
        """Return the URL with the version as a keyword argument, unless ``args`` are positional."""
        version = getattr(request, "version", None)
        if version is not None and not args:
            kwargs = {self.version_param: version, **(kwargs or {})}
        return super().reverse(viewname, args, kwargs, request, format, **extra)


class NamespaceVersioning(BaseVersioning):
    """``/v1/users/``, by the namespace of ``include((patterns, "app"), namespace="v1")``."""

    invalid_version_message: Setting = _(
        "Invalid version in URL path. Does not match any version namespace."
    )

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        """Return the outermost namespace that is an allowed version. Raises NotFound for none."""
        resolver_match = getattr(request, "resolver_match", None)
        if resolver_match is None or not resolver_match.namespace:
            return self.default_version
        for version in resolver_match.namespace.split(":"):
            if self.is_allowed_version(version):
                return version
        raise exceptions.NotFound(self.invalid_version_message)

    def reverse(
        self,
        viewname: ViewName,
        args: UrlArguments = None,
        kwargs: UrlArguments = None,
        request: AnyRequest = None,
        format: str | None = None,
        **extra: object,
    ) -> str:
        if getattr(request, "version", None) is not None:
            viewname = self.get_versioned_viewname(viewname, request)
        return super().reverse(viewname, args, kwargs, request, format, **extra)

    def get_versioned_viewname(self, viewname: str, request: AnyRequest) -> str:
        """Return the name of the view with the version in front: ``v1:user-list``."""
        return f"{request.version}:{viewname}"


class HostNameVersioning(BaseVersioning):
    """``v1.example.com``; the first group of ``hostname_regex`` is the version."""

    hostname_regex: re.Pattern[str] = re.compile(r"^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$")
    invalid_version_message: Setting = _("Invalid version in hostname.")

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        hostname = request.get_host().partition(":")[0]
        match = self.hostname_regex.match(hostname)
        if not match:
            return self.default_version
        return _checked(self, match.group(1), "Host")

    # URLs are built from the host of the request, which names the version already.


class QueryParameterVersioning(BaseVersioning):
    """``/users/?version=1.0``."""

    invalid_version_message: Setting = _("Invalid version in query parameter.")

    def get_query_params(self, view: AnyView) -> Sequence[str]:
        return (self.version_param,)

    def determine_version(self, request: AnyRequest, *args: object, **kwargs: object) -> Version:
        version = request.query_params.get(self.version_param, self.default_version)
        return _checked(self, version, self.version_param)

    def reverse(
        self,
        viewname: ViewName,
        args: UrlArguments = None,
        kwargs: UrlArguments = None,
        request: AnyRequest = None,
        format: str | None = None,
        **extra: object,
    ) -> str:
        url = super().reverse(viewname, args, kwargs, request, format, **extra)
        version = getattr(request, "version", None)
        return url if version is None else replace_query_param(url, self.version_param, version)
