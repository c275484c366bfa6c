"""The interface of a codec: how the bytes of one format become a document, and back."""

from typing import Any

from lintel_document.errors import EncodeError, ParseError

__all__ = ["Codec"]


class Codec:
    """Base of all codecs. A codec implements ``decode``, ``encode`` or both.

    ``media_type`` is the type sent and requested, ``media_types`` all the types that it reads, by
    preference, ``format`` a short name for people ("corejson"). A wildcard such as ``text/*`` is
    allowed. ``abilities`` is what ``codecs show`` lists: "encode", "decode", or "data" for a codec
    that reads plain data instead of documents.
    """

    media_type: str = ""
    media_types: tuple[str, ...] = ()
    format: str = ""
    abilities: tuple[str, ...] = ()

    def decode(self, content: bytes, **options: Any) -> Any:
        """Read bytes.

        Options that a codec may use and must tolerate: ``base_url``, where the content came from;
        ``content_type`` and ``content_disposition``, the response headers of these names. Raises
        ParseError for content that is not of the format.
        """
        raise ParseError(f"The codec {self.format!r} cannot decode")

    def encode(self, document: Any, **options: Any) -> bytes:
        """Write a document. Raises EncodeError for values that the format cannot represent.

        Option that a codec may use and must tolerate: ``indent``, true for a readable layout.
        """
        raise EncodeError(f"The codec {self.format!r} cannot encode")

    def recognizes(self, content: bytes) -> bool:
        """Return whether a text declares itself to be of the format, whatever its media type.

        Called for responses with the media type of plain JSON, YAML or text. It must be fast;
        ``decode`` may still fail.
        """
        return False

    def load(self, content: bytes, **options: Any) -> Any:
        """Another name of ``decode``."""
        return self.decode(content, **options)

    def dump(self, document: Any, **options: Any) -> bytes:
        """Another name of ``encode``."""
        return self.encode(document, **options)

    def get_media_types(self) -> list[str]:
        """Return all media types that the codec reads, the preferred first."""
        return list(self.media_types or (self.media_type,))

    @property
    def can_decode(self) -> bool:
        return type(self).decode is not Codec.decode

    @property
    def can_encode(self) -> bool:
        return type(self).encode is not Codec.encode

    def get_abilities(self) -> tuple[str, ...]:
        """Return ``abilities``, or those of the implemented methods if it is empty."""
        able = {"encode": self.can_encode, "decode": self.can_decode}
        return self.abilities or tuple(name for name, has in able.items() if has)
