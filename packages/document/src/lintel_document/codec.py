"""The interface of a codec: how the bytes of one format become a document, and back."""

from typing import Any

from lintel_document.errors import EncodeError, ParseError

__all__ = ["Codec"]


class Codec:
    """Base of all codecs. A codec implements ``decode``, ``encode`` or both.

    ``media_type`` is the type sent and asked for, ``media_types`` all the types that it reads, most
    wanted first, ``format`` a short name for people ("corejson"). A wildcard such as ``text/*`` is
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
        """Write a document. Raises EncodeError for what the format cannot hold.

        Option that a codec may use and must tolerate: ``indent``, true for a layout for people.
        """
        raise EncodeError(f"The codec {self.format!r} cannot encode")

    def recognizes(self, content: bytes) -> bool:
        """Return whether a text says of itself that it is of the format, whatever it was sent as.

        Asked of answers that are called plain JSON, YAML or text. It has to be quick; ``decode``
        may still find that it is not.
        """
        return False

    def load(self, content: bytes, **options: Any) -> Any:
        """Another name of ``decode``."""
        return self.decode(content, **options)

    def dump(self, document: Any, **options: Any) -> bytes:
        """Another name of ``encode``."""
        return self.encode(document, **options)

    def get_media_types(self) -> list[str]:
        """Return all media types that the codec reads, the most wanted first."""
        return list(self.media_types or (self.media_type,))

    @property
    def can_decode(self) -> bool:
        return type(self).decode is not Codec.decode

    @property
    def can_encode(self) -> bool:
        return type(self).encode is not Codec.encode

    def get_abilities(self) -> tuple[str, ...]:
        """Return ``abilities``, or what the implemented methods tell when it is empty."""
        able = {"encode": self.can_encode, "decode": self.can_decode}
        return self.abilities or tuple(name for name, has in able.items() if has)
