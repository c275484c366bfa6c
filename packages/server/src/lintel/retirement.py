"""Deprecated parts of an API: the ``Deprecation`` and ``Sunset`` headers (RFC 9745, RFC 8594)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.utils.http import http_date

from lintel.annotations import AnyView


@dataclass(frozen=True)
class Deprecation:
    """When something is deprecated, when it is removed, and where clients read about it.

    ``since``: when it is deprecated, in the past or in the future (RFC 9745). ``sunset``:
    when it is expected to be removed (RFC 8594). Both are datetimes or dates; a date starts at
    midnight, and the default time zone is UTC. ``link``, ``sunset_link``: URLs of pages about the
    one and the other. Raises ValueError for a sunset before the deprecation.
    """

    since: date | None = None
    sunset: date | None = None
    link: str | None = None
    sunset_link: str | None = None

    def __post_init__(self) -> None:
        if self.since and self.sunset and moment_of(self.sunset) < moment_of(self.since):
            raise ValueError(
                f"The sunset {self.sunset} is before the deprecation {self.since}: a later date is "
                "needed (RFC 9745, section 4)."
            )


class AddedLink(str):
    """The value of a ``Link`` header that is added to those of the response."""


def moment_of(value: date) -> datetime:
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


def deprecation_of(deprecated: object, sunset: object = None) -> Deprecation | None:
    """Return the deprecation given by ``deprecated``, such as a date or True, and ``sunset``."""
    # None for anything else: a project may use these names for other purposes.
    sunset = sunset if isinstance(sunset, date) else None
    if isinstance(deprecated, Deprecation):
        return deprecated
    if isinstance(deprecated, date):
        return Deprecation(deprecated, sunset)
    return Deprecation(sunset=sunset) if deprecated is True else None


def deprecation_of_version(scheme: object, version: object) -> Deprecation | None:
    versions = getattr(scheme, "deprecated_versions", None)
    return deprecation_of(versions.get(version)) if isinstance(versions, Mapping) else None


def headers_of(deprecation: Deprecation) -> dict[str, str]:
    headers: dict[str, str] = {}
    if deprecation.since is not None:
        headers["Deprecation"] = f"@{int(moment_of(deprecation.since).timestamp())}"
    if deprecation.sunset is not None:
        headers["Sunset"] = http_date(moment_of(deprecation.sunset).timestamp())
    links = [(deprecation.link, "deprecation"), (deprecation.sunset_link, "sunset")]
    texts = [f'<{address}>; rel="{relation}"' for address, relation in links if address]
    if texts:
        headers["Link"] = AddedLink(", ".join(texts))
    return headers


def announce(view: AnyView, deprecation: Deprecation | None) -> None:
    """Add the headers of a deprecation to those of a view; existing ones stay."""
    if deprecation is not None:
        view.headers = {**headers_of(deprecation), **view.headers}
