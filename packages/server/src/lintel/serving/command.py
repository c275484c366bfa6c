"""``python -m lintel serve``: serve the project of this folder with granian."""

import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

from lintel.serving.supervision import run_until_drained

#: Takes a parser for complaints and the given settings; makes Django use them.
UseSettings = Callable[[ArgumentParser, str | None], str]

DESCRIPTION = """Serve the application that the settings name (WSGI_APPLICATION; with --asgi,
ASGI_APPLICATION or the same name with asgi) with granian. Further options are granian's: --host,
--port, --workers, --reload and others, see granian --help."""

#: A worker that is told to stop while it starts does not hear it (granian 2.8), and granian waits
#: for it without end unless this says after how many seconds it ends such a worker.
KILL_TIMEOUT = ("--workers-kill-timeout", "30")

DRAIN = """on SIGTERM, serve on for these seconds while the view lintel.health.ready answers
503, then stop; a second SIGTERM stops at once"""

UDS = """listen at this socket in the file system; one that a killed server has left is removed"""


def main(arguments: Sequence[str], use_settings: UseSettings) -> None:
    """Become granian; raise SystemExit with a message if something is missing."""
    parser = ArgumentParser("python -m lintel serve", description=DESCRIPTION)
    parser.add_argument("--settings", help="default: DJANGO_SETTINGS_MODULE, or those of manage.py")
    parser.add_argument("--asgi", action="store_true", help="on event loops, for async views")
    parser.add_argument("--drain", type=float, metavar="SECONDS", help=DRAIN)
    parser.add_argument("--uds", metavar="PATH", default=os.environ.get("GRANIAN_UDS"), help=UDS)
    options, others = parser.parse_known_args(arguments)
    use_settings(parser, options.settings)
    if find_spec("granian") is None:
        parser.error("granian is not installed: pip install granian")
    if options.uds:
        remove_abandoned(Path(options.uds))
        others += ["--uds", options.uds]
    command = command_of(application(parser, options.asgi), options.asgi, others)
    if options.drain is not None:
        sys.exit(run_until_drained(command, options.drain))
    os.execv(sys.executable, command)  # noqa: S606  the options come from the command line


def command_of(target: str, is_asgi: bool, others: Sequence[str]) -> list[str]:
    """Return the command that serves ``module:name``."""
    interface = ["--interface", "asginl" if is_asgi else "wsgi", "--no-ws"]
    given = {option.partition("=")[0] for option in others}
    is_given = KILL_TIMEOUT[0] in given or "GRANIAN_WORKERS_KILL_TIMEOUT" in os.environ
    patience = () if is_given else KILL_TIMEOUT
    return [sys.executable, "-m", "granian", *interface, *patience, *others, target]


def remove_abandoned(path: Path) -> None:
    """Remove a socket at which nobody listens: granian does not take the place of a killed server.

    Whatever else is there stays, and granian says what is wrong with it.
    """
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:
            return  # full, or another user's


def application(parser: ArgumentParser, is_asgi: bool) -> str:
    """Return where the settings say that the application is, as ``module:name``."""
    name: str | None = settings.WSGI_APPLICATION
    if is_asgi:
        name = getattr(settings, "ASGI_APPLICATION", None) or _beside(name or "")
    if not name:
        kind = "ASGI" if is_asgi else "WSGI"
        parser.error(f"set {kind}_APPLICATION in your settings, such as 'project.wsgi.application'")
    module, _, attribute = name.rpartition(".")
    return f"{module}:{attribute}"


def _beside(wsgi: str) -> str | None:
    """Return the name with ``asgi`` in place of ``wsgi``; None for names without it."""
    path, _, attribute = wsgi.rpartition(".")
    package, dot, module = path.rpartition(".")
    return f"{package}{dot}asgi.{attribute}" if module == "wsgi" else None
