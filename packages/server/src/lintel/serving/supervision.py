"""A server that says that it is about to stop, goes on for a while, and then stops.

Load balancers send requests for some seconds after they could know that a server stops. The server
runs in a process of its own; this one takes the signals.
"""

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from lintel.health.draining import VARIABLE, begin_draining, end_draining

#: Signals that stop, and those that are the server's own (granian: SIGHUP reloads).
STOPS = (signal.SIGTERM, signal.SIGINT)
PASSED_ON = (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def run_until_drained(command: Sequence[str], seconds: float) -> int:
    """Run a server. Returns its exit status, 0 if it was stopped by a signal of ours."""
    with tempfile.TemporaryDirectory(prefix="lintel-") as folder:
        os.environ.setdefault(VARIABLE, str(Path(folder) / "draining"))
        end_draining()
        # Ctrl-C reaches every process of its group: the server is in one of its own.
        server = subprocess.Popen(command, start_new_session=True)  # noqa: S603  the options come from the command line
        stop = Stop(server, seconds)
        for number in STOPS:
            signal.signal(number, stop.begin)
        for number in PASSED_ON:
            signal.signal(number, stop.pass_on)
        return stop.wait()


class Stop:
    """What the signals do to a server."""

    def __init__(self, server: subprocess.Popen[bytes], seconds: float) -> None:
        self.server = server
        self.seconds = seconds
        self.begun = threading.Event()

    def begin(self, number: int, frame: FrameType | None) -> None:
        """Begin to drain; the second time, stop at once."""
        if self.begun.is_set():
            self.server.terminate()
            return
        self.begun.set()
        begin_draining()
        timer = threading.Timer(self.seconds, self.server.terminate)
        timer.daemon = True
        timer.start()

    def pass_on(self, number: int, frame: FrameType | None) -> None:
        self.server.send_signal(number)

    def wait(self) -> int:
        status = self.server.wait()
        return 0 if self.begun.is_set() and status in (0, -signal.SIGTERM) else abs(status)
