"""The entry point, which works without the optional libraries far enough to name them."""

import sys

try:
    from lintel_client.cli.program import program
except ModuleNotFoundError as error:
    if error.name not in ("click", "rich"):
        raise
    missing: str | None = error.name
else:
    missing = None

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of the process."""
    if missing:
        sys.exit(
            f"lintel: the library {missing!r} is missing. The command line is an extra: "
            "pip install 'lintel-client[cli]'"
        )
    program(prog_name="lintel")
