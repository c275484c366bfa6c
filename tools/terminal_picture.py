"""Draw docs/pictures/command-line.svg: the command line in use against the example service.

    make demo                                        # in another terminal
    python tools/terminal_picture.py http://127.0.0.1:8000/ TOKEN

TOKEN is the one that ``make demo`` prints.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "command-line.svg"

#: The typed commands. The last one shows what the service rejects.
COMMANDS = [
    "lintel get {url}",
    "lintel action snippets retrieve --param id=1",
    "lintel action snippets create --string code= --string language=klingon",
]


#: The picture loads no font from another host.
FRAME = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def run(command: str, folder: str) -> str:
    """The output of a command, with the colours that a terminal gets."""
    environment = {**os.environ, "LINTEL_CONFIG_DIR": folder, "FORCE_COLOR": "1", "COLUMNS": "88"}
    done = subprocess.run(
        shlex.split(command), env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def draw(url: str, token: str) -> str:
    """The picture, as SVG."""
    console = Console(record=True, width=88, file=StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        run(f'lintel credentials add {urlsplit(url).netloc} "Token {token}"', folder)
        for command in COMMANDS:
            line = command.format(url=url)
            console.print(Text("$ ", style="bold green").append(line, style="bold white"))
            console.print(Text.from_ansi(run(line, folder)))
    return console.export_svg(title="lintel", unique_id="lintel", code_format=FRAME)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    PICTURE.write_text(draw(*sys.argv[1:]))
    print(f"{PICTURE.name}: {PICTURE.stat().st_size // 1024} kB")
