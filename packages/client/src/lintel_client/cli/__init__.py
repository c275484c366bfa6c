"""The command line of lintel-client: the executable ``lintel``."""

from lintel_client.cli.entry import main

__all__ = ["main"]
