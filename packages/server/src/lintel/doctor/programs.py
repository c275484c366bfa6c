"""The programs of this package that run in a process of their own, in the folder of a project."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

#: In seconds.
PATIENCE = 600


class ProgramError(Exception):
    """A program did not end well; the text is the last of what it said."""


def said_by(program: str, folder: Path, task: object = None) -> Any:
    """Run a program with ``task`` as its input, and return the JSON in its last line of output.

    Raises ProgramError.
    """
    try:
        # -P: the folder of the program has modules with names that a project may use.
        ended = subprocess.run(  # noqa: S603 - a program of this package
            [sys.executable, "-P", str(HERE / program)],
            cwd=folder,
            input=json.dumps(task),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProgramError(f"it took longer than {PATIENCE} seconds") from error
    try:
        return json.loads(ended.stdout.splitlines()[-1])
    except (ValueError, IndexError) as error:
        raise ProgramError(
            (ended.stderr.strip() or "it printed nothing").splitlines()[-1]
        ) from error
