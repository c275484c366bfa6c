"""``python -m lintel startproject NAME [FOLDER]``: a new project with the settings it wants."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import execute_from_command_line

STARTER = Path(__file__).resolve().parent / "starter"
USAGE = "usage: python -m lintel startproject NAME [FOLDER]"


def main(arguments: list[str]) -> None:
    """Make a project from the starter; SystemExit where the arguments ask for anything else."""
    if not 2 <= len(arguments) <= 3 or arguments[0] != "startproject":
        sys.exit(USAGE)
    if arguments[1] == "notes":
        sys.exit(
            "The first app of the project is called notes: choose another name for the project."
        )
    rendered = ["--extension", "py,md", "--name", ".env,Dockerfile"]
    execute_from_command_line(
        ["lintel", *arguments, "--template", str(STARTER), *rendered],
    )
    folder = Path(arguments[-1])
    # The signing key is nobody else's.
    (folder / ".env").chmod(0o600)
    print(f"{folder}/README.md says how to go on.")


if __name__ == "__main__":
    main(sys.argv[1:])
