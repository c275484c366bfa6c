"""Which codec reads a response, and what to ask for."""

from collections.abc import Sequence

from lintel_client.codecs import JSONCodec, TextCodec, media_type_of
from lintel_client.downloads import DownloadCodec
from lintel_document.codec import Codec
from lintel_document.corejson import CoreJSONCodec
from lintel_document.errors import NoCodecAvailable
from lintel_document.registry import codec_for_format, plugin_codecs

__all__ = [
    "accept_data",
    "accept_documents",
    "choose_decoder",
    "decoder_for_format",
    "default_decoders",
    "may_describe",
    "reads_documents",
    "recognizing",
]

_ANYTHING = "*/*;q=0.1"
_YAML = frozenset({"application/yaml", "application/x-yaml", "application/vnd.yaml"})
_BYTES = frozenset({"application/octet-stream", "binary/octet-stream"})
_MAX_SUFFIXES = 5


def default_decoders() -> list[Codec]:
    """Return the native codec, the installed plugins, JSON, text and downloads, in this order."""
    plugins = [installed.codec for installed in plugin_codecs()]
    return [CoreJSONCodec(), *plugins, JSONCodec(), TextCodec(), DownloadCodec()]


def reads_documents(codec: Codec) -> bool:
    """Return whether a codec reads documents, as opposed to plain data."""
    return "decode" in codec.get_abilities()


def accept_documents(decoders: Sequence[Codec]) -> str:
    """Return the Accept header that asks for a document in any supported format.

    Plain JSON is left out: a server that has both would be free to prefer it.
    """
    types = [kind for codec in decoders if reads_documents(codec) for kind in _types(codec)]
    return ", ".join([*types, _ANYTHING])


def accept_data(decoders: Sequence[Codec]) -> str:
    """Return the Accept header that asks for the result of an operation."""
    types = [kind for codec in decoders for kind in _types(codec)]
    return ", ".join([*types, _ANYTHING])


def choose_decoder(decoders: Sequence[Codec], content_type: str) -> Codec:
    """Return the codec for a Content-Type header; its parameters are ignored.

    An exact type wins, then the suffixes from the longest on (``vnd.x+hal+json``: ``hal+json``,
    then ``json``), then a wildcard such as ``text/*``, then ``*/*``. Without a content type it is
    the first codec. Raises NoCodecAvailable if none fits.
    """
    media_type = media_type_of(content_type)
    if not media_type:
        return decoders[0]
    main, _, sub = media_type.partition("/")
    parts = sub.split("+")[:_MAX_SUFFIXES]
    suffixes = [f"{main}/{'+'.join(parts[at:])}" for at in range(1, len(parts))]
    for wanted in (media_type, *suffixes, f"{main}/*", "*/*"):
        for codec in decoders:
            if wanted in codec.get_media_types():
                return codec
    known = ", ".join(kind for codec in decoders for kind in codec.get_media_types())
    raise NoCodecAvailable(f"No codec reads {media_type!r}; the installed ones read {known}")


def may_describe(content_type: str, url: str) -> bool:
    """Return whether a response with another media type may be a description: JSON, YAML, text.

    Unknown bytes may be one if the URL ends like that of such a file.
    """
    media_type = media_type_of(content_type)
    if media_type in _BYTES:
        return url.partition("?")[0].lower().endswith((".json", ".yaml", ".yml"))
    is_json = media_type == "application/json" or media_type.endswith("+json")
    is_text = media_type.startswith("text/") and media_type != "text/html"
    return not media_type or is_json or is_text or media_type in _YAML


def recognizing(decoders: Sequence[Codec], content: bytes) -> Codec | None:
    """Return the first document codec that recognises the content of a text."""
    able = (codec for codec in decoders if reads_documents(codec))
    return next((codec for codec in able if codec.recognizes(content)), None)


def decoder_for_format(decoders: Sequence[Codec], format: str) -> Codec:
    """Return the codec of a format, among the decoders first, then among all plugins.

    Raises NoCodecAvailable, which lists the available formats.
    """
    by_format = {codec.format: codec for codec in decoders}
    if format in by_format:
        return by_format[format]
    return codec_for_format(format, [*decoders, *default_decoders()])


def _types(codec: Codec) -> list[str]:
    return [kind for kind in codec.get_media_types() if "*" not in kind]
