"""What can go wrong, as one tree.

    LintelError
    ├── ParseError          content is not valid in the format it claims to be
    ├── EncodeError         a tree holds something that the format cannot write
    └── NoCodecAvailable    no codec is installed for a media type or a format

lintel_client hangs its own errors below LintelError, so that one ``except`` catches all of them.
Mistakes of the calling code, such as an argument of the wrong type, stay TypeError.
"""

__all__ = ["EncodeError", "LintelError", "NoCodecAvailable", "ParseError"]


class LintelError(Exception):
    """The root of all errors that depend on data, on the network or on what is installed."""


class ParseError(LintelError):
    """Content is not valid in its format; the message says where."""


class EncodeError(LintelError):
    """A tree holds a value that the format cannot write; the message names its type."""


class NoCodecAvailable(LintelError):
    """No installed codec handles the media type or format; the message lists those that do."""
