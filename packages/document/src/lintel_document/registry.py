"""The installed codecs: the one of this package, and plugins found by entry points.

A plugin names its codec class in the entry-point group ``lintel.codecs``; the name of the entry
point is the name of the format.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from lintel_document.codec import Codec
from lintel_document.corejson import CoreJSONCodec
from lintel_document.errors import LintelError, NoCodecAvailable

__all__ = [
    "ENTRY_POINT_GROUP",
    "InstalledCodec",
    "codec_for_format",
    "installed_codecs",
    "plugin_codecs",
]

ENTRY_POINT_GROUP = "lintel.codecs"


@dataclass(frozen=True, slots=True)
class InstalledCodec:
    """A codec and the distribution that provides it, as ``name==version``."""

    name: str
    codec: Codec
    package: str


def plugin_codecs() -> list[InstalledCodec]:
    """Return the codecs of all plugins, ordered by name.

    Raises LintelError with the name of the plugin if one cannot be imported.
    """
    found = [_load(point) for point in entry_points(group=ENTRY_POINT_GROUP)]
    return sorted(found, key=lambda installed: installed.name)


def installed_codecs() -> list[InstalledCodec]:
    """Return the native codec, then those of all plugins."""
    native = CoreJSONCodec()
    return [InstalledCodec(native.format, native, "lintel-document"), *plugin_codecs()]


def codec_for_format(name: str, codecs: Iterable[Codec] | None = None) -> Codec:
    """Return the codec of a format, among ``codecs`` or all that are installed.

    Raises NoCodecAvailable, which lists the available formats.
    """
    if codecs is None:
        codecs = [installed.codec for installed in installed_codecs()]
    by_format = {codec.format: codec for codec in codecs}
    if name not in by_format:
        known = ", ".join(by_format)
        raise NoCodecAvailable(f"No codec is installed for the format {name!r}; available: {known}")
    return by_format[name]


def _load(point: EntryPoint) -> InstalledCodec:
    try:
        codec = point.load()()
    except Exception as error:
        raise LintelError(
            f"The codec plugin {point.name!r} ({point.value}) cannot be loaded: {error}"
        ) from error
    package = f"{point.dist.name}=={point.dist.version}" if point.dist else ""
    return InstalledCodec(point.name, codec, package)
