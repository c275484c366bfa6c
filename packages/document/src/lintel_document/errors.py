"""The errors that can occur, as one tree.

    LintelError
    ├── ParseError          content is not valid in the format it claims to be
    ├── EncodeError         a tree contains something that the format cannot represent
    └── NoCodecAvailable    no codec is installed for a media type or a format

lintel_client derives its own errors from LintelError, so that one ``except`` catches all of them.
Errors of the calling code, such as an argument of the wrong type, remain TypeError.
"""

from lintel_document.controls import printable

__all__ = ["EncodeError", "LintelError", "NoCodecAvailable", "ParseError"]

_LONGEST = 10_000


class LintelError(Exception):
    """The base of all errors that depend on data, on the network or on what is installed."""

    def __str__(self) -> str:
        # Programs print it: what others sent must neither act on their terminals nor fill them.
        text = super().__str__()
        return printable(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


class ParseError(LintelError):
    """Content is not valid in its format; the message says where."""


class EncodeError(LintelError):
    """A tree contains a value that the format cannot represent; the message names its type."""


class NoCodecAvailable(LintelError):
    """No installed codec handles the media type or format; the message lists the available ones."""
