"""The implementation of the command on codecs."""

from lintel_client.cli.output import print_table
from lintel_client.codecs import JSONCodec, TextCodec
from lintel_client.downloads import DownloadCodec
from lintel_document.registry import InstalledCodec, installed_codecs

__all__ = ["show"]


def show() -> None:
    """List all installed codecs."""
    own = [
        InstalledCodec(codec.format, codec, "lintel-client")
        for codec in (JSONCodec(), TextCodec(), DownloadCodec())
    ]
    rows = [
        (
            installed.name,
            installed.codec.media_type,
            ", ".join(installed.codec.get_abilities()),
            installed.package,
        )
        for installed in [*installed_codecs(), *own]
    ]
    print_table(["codec", "media type", "support", "package"], rows)
