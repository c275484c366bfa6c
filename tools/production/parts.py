"""One program of the stack: started, stopped, killed, frozen, and ready when it answers."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS_TO_START = 180
#: More than granian waits for workers that do not stop, such as one that is starting.
SECONDS_TO_STOP = 40

#: The thread that starts all programs, which ends with this process: Linux ends a bound
#: program with the thread that has started it.
STARTER = ThreadPoolExecutor(1)

#: PostgreSQL and PgBouncer refuse to run as root; these users exist on every system.
UNPRIVILEGED = ("postgres", "nobody")


def unprivileged_user() -> pwd.struct_passwd:
    """Return the user for what root may not run: the current one, or another if that is root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in UNPRIVILEGED if name in known)


def identity(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return arguments for starting a process as another user, which only root can and needs."""
    if user is None or os.geteuid() != 0:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def accept(path: Path) -> bool:
    """Whether a server accepts connections at a socket in the file system. Raises OSError."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
    return True


@dataclass(eq=False)
class Part:
    """A program: its command, the signal that stops it gently, and how to see that it answers."""

    name: str
    command: Sequence[str | Path]
    log: Path
    answers: Callable[[], bool] = lambda: True
    farewell: signal.Signals = signal.SIGTERM
    environment: dict[str, str] = field(default_factory=dict)
    user: pwd.struct_passwd | None = None
    #: A socket that it leaves if it is killed, and would not take over.
    socket: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    #: It was stopped, and is not to be started again by who keeps parts running.
    is_stopped: bool = False

    def start(self) -> None:
        """Start it, and return when it answers. Raises RuntimeError with its log otherwise."""
        self.begin()
        self.wait_until_it_answers()

    def begin(self) -> None:
        self.process, self.is_stopped = STARTER.submit(self._begun).result(), False

    def _begun(self) -> subprocess.Popen[bytes]:
        if self.socket is not None:
            self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as output:
            return subprocess.Popen(
                [*self._bound_to_this_process(), *map(str, self.command)],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                # Ctrl-C reaches this process alone, which stops the parts in their order.
                process_group=0,
                **identity(self.user),
            )

    def wait_until_it_answers(self, seconds: float = SECONDS_TO_START) -> None:
        deadline = time.monotonic() + seconds
        while self.runs and time.monotonic() < deadline:
            if self._answers():
                return
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} did not start:\n{self.last_lines()}")

    def _answers(self) -> bool:
        try:
            return self.answers()
        except Exception:
            return False  # not yet

    def last_lines(self, count: int = 20) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    @property
    def running(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            raise RuntimeError(f"{self.name} has not been started")
        return self.process

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        self.running.send_signal(number)

    def stop(self) -> None:
        """Stop it gently, and by force if that takes too long. Does nothing if it has ended."""
        self.is_stopped = True
        if not self.runs:
            return
        self.thaw()
        self.send(self.farewell)
        try:
            self.running.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill it and its children at once, as the kernel does when memory ends."""
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait()

    def freeze(self) -> None:
        os.killpg(self.running.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.killpg(self.running.pid, signal.SIGCONT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _bound_to_this_process(self) -> list[str]:
        """Return a prefix with which Linux ends the program if this process is killed."""
        setpriv = shutil.which("setpriv")
        name = self.farewell.name.removeprefix("SIG")
        return [setpriv, "--pdeathsig", name] if setpriv else []
