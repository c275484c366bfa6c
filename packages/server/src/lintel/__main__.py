"""``python -m lintel``: ``startproject``, ``serve``, ``top``, ``doctor`` and ``compare``."""

import os
import sys
from pathlib import Path

from django.core.management import execute_from_command_line

from lintel import doctor, top
from lintel.serving import command

STARTER = Path(__file__).resolve().parent / "starter"
DEPLOY = "--deploy"
USAGE = """usage: python -m lintel COMMAND

  startproject NAME [FOLDER] [--deploy]   write a new project; --deploy adds files for servers
  serve [--asgi] [OPTIONS OF GRANIAN]     serve the project in this folder
  top [FILES]                             show which routes take the time, from the request log
  doctor [--settings MODULE]              check a project before it moves to lintel
  compare RECORDING                       send recorded requests to both frameworks

serve, top, doctor and compare explain their options with --help."""


def main(arguments: list[str]) -> None:
    """Run a command; raise SystemExit with its status, or with the usage."""
    match arguments:
        case ["startproject", *place] if 1 <= len(places := names_in(place)) <= 2:
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


def names_in(arguments: list[str]) -> list[str]:
    """Return the name and the folder; nothing if there are options that are not ours."""
    names = [argument for argument in arguments if argument != DEPLOY]
    return [] if any(name.startswith("-") for name in names) else names


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
