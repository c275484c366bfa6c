"""The entry point, which can name missing optional libraries without importing them."""

import os
import sys
from importlib.util import find_spec

MISSING = [name for name in ("click", "rich") if find_spec(name) is None]

if not MISSING:
    from lintel_client.cli.later import later
    from lintel_client.cli.program import program

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of the process."""
    if MISSING:
        sys.exit(
            f"lintel: missing: {', '.join(MISSING)}. The command line is an extra: "
            "install lintel-client[cli]"
        )
    if "_LINTEL_COMPLETE" in os.environ:
        later("completion:register")
    program(prog_name="lintel")
