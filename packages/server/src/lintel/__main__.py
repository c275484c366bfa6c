"""``python -m lintel``: ``startproject``, ``serve``, ``top``, ``doctor`` and ``compare``."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from lintel import doctor, top
from lintel.serving import command

STARTER = Path(__file__).resolve().parent / "starter"
DEPLOY = "--deploy"
USAGE = """usage: python -m lintel startproject NAME [FOLDER] [--deploy]    a new project
       python -m lintel serve [--asgi] [options of granian]    serve the project of this folder
       python -m lintel top [FILES]    which routes take the time, from the lines of the request log
       python -m lintel doctor [--settings MODULE]    check a project before it moves to lintel
       python -m lintel compare RECORDING             answer recorded requests with both"""


def main(arguments: list[str]) -> None:
    """Run a command; raise SystemExit with its status, or with the usage."""
    match arguments:
        case ["startproject", *place] if 1 <= len(places := without_deploy(place)) <= 2:
            start_project(places[0], *places[1:], deploys=DEPLOY in place)
        case ["serve", *options]:
            command.main(options, doctor.use_settings)
        case ["top", *options]:
            top.main(options)
        case ["doctor", *options]:
            sys.exit(doctor.main(options))
        case ["compare", *options]:
            sys.exit(doctor.compare(options))
        case _:
            sys.exit(USAGE)


def without_deploy(arguments: list[str]) -> list[str]:
    return [argument for argument in arguments if argument != DEPLOY]


def start_project(name: str, folder: str | None = None, *, deploys: bool = False) -> None:
    """Write the project; the folder ``deploy`` only if it is asked for."""
    if name == "notes":
        sys.exit(
            "The first app of the project is called notes: choose another name for the project."
        )
    rendered = ["--extension", "py,md,yaml,conf,service,timer"]
    rendered += ["--name", ".env,Dockerfile,pytest.ini"]
    rendered += [] if deploys else ["--exclude", "deploy"]
    place = [name] if folder is None else [name, folder]
    execute_from_command_line(
        ["lintel", "startproject", *place, "--template", str(STARTER), *rendered]
    )
    # Every project gets its own signing key.
    (Path(place[-1]) / ".env").chmod(0o600)
    print(f"{place[-1]}/README.md describes the next steps.")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; nothing more may be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
