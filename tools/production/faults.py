"""``make faults``: break one part after the other while clients ask, and write down what happened.

For each fault: what clients saw, what an operator saw, what was left. Clients send writes again
with their key until they are answered, so at the end each of them has to be there exactly once.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

import psycopg
from services import program

from production import clocks, pages, sentinel, traffic
from production.leftovers import counted, files, left
from production.parts import Part, accept, identity, unprivileged_user
from production.reloads import children
from production.stack import Options, Stack, postgresql_part, running, server_of, write_pgbouncer
from production.surroundings import full_of_rows, full_of_uploads

#: The longest that the service may take to answer again.
RECOVERY = 120.0

Break = Callable[[Stack], AbstractContextManager[object]]


@dataclass(frozen=True)
class Fault:
    title: str
    breaks: Break
    #: How long it stays broken; what mends it is the end of the block.
    seconds: float = 2.0
    #: Seconds of traffic before it, and once the service answers again.
    before: float = 1.0
    after: float = 2.0
    #: Raises RuntimeError if the machine lacks what it takes.
    needs: Callable[[], object] = lambda: None


@dataclass
class Report:
    """What one fault did."""

    title: str
    tally: traffic.Tally
    failed_checks: set[str] = field(default_factory=set)
    lines: Counter[str] = field(default_factory=Counter)
    recovered: float = 0.0
    books: traffic.Books = field(default_factory=lambda: traffic.Books(0, 0, 0))
    left: list[str] = field(default_factory=list)
    #: Of exceptions that were logged, which tell why a response had the status 500.
    tracebacks: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Nothing lost, nothing twice, nothing left, and an answer again without a restart."""
        lost = self.books.lost or self.books.twice
        return not lost and not self.left and self.recovered < RECOVERY

    def row(self) -> list[str]:
        failures = [f"{count} x {name}" for name, count in sorted(self.tally.failures.items())]
        client = f"{', '.join(failures) or 'nothing'} of {self.tally.requests:,}"
        client += f"; longest {self.tally.slowest:.1f} s"
        checks = ", ".join(sorted(self.failed_checks)) or "ready throughout"
        lines = ", ".join(f"{count} x {name}" for name, count in sorted(self.lines.items()))
        operator = f"{checks}; {lines or 'no line'}; again after {self.recovered:.1f} s"
        return [self.title, client, operator, f"{self.books}; {', '.join(self.left) or 'nothing'}"]


HEAD = ["fault", "clients saw", "operators saw", "writes; left behind"]


@contextmanager
def killed(stack: Stack, name: str) -> Iterator[None]:
    """Kill a part with SIGKILL; start it again at the end."""
    stack.parts[name].kill()
    yield
    started_again(stack.parts[name])


def started_again(part: Part) -> None:
    """Start it until that works: what a killed PostgreSQL leaves holds its memory for a moment."""
    deadline = time.monotonic() + RECOVERY
    while True:
        try:
            part.start()
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


@contextmanager
def restarted(stack: Stack, name: str) -> Iterator[None]:
    stack.parts[name].restart()
    yield


@contextmanager
def frozen(stack: Stack, name: str) -> Iterator[None]:
    stack.parts[name].freeze()
    yield
    stack.parts[name].thaw()


@contextmanager
def read_only(stack: Stack) -> Iterator[None]:
    """As a primary that has become a replica."""
    with stack.database() as connection:
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
        yield
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
        connection.execute("SELECT pg_reload_conf()")


@contextmanager
def out_of_connections(stack: Stack) -> Iterator[None]:
    """Others hold all connections that PgBouncer may open."""
    place = {"host": str(stack.folder / "pgbouncer"), "port": 6432, "user": stack.user}
    with ExitStack() as held:
        for _ in range(stack.options.pool):
            connection = psycopg.connect(**place, dbname="service", connect_timeout=10)
            held.enter_context(closing(connection))
            connection.execute("SELECT 1")  # in a transaction, which holds it
        yield


@contextmanager
def cut_in_transactions(stack: Stack) -> Iterator[None]:
    """Every connection of the service is ended again and again, whatever it is doing."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with stack.database() as connection:
        for _ in range(10):
            connection.execute(f"{others} AND datname = 'service'")
            time.sleep(0.2)
    yield


@contextmanager
def failed_over(stack: Stack) -> Iterator[None]:
    """A synchronous replica takes the place of the primary, which is killed."""
    replica = replica_of(stack)
    stack.parts["postgresql"].kill()
    stack.parts["postgresql"] = replica
    stack.postgresql_folder = replica.log.parent.parent / "replica"
    with stack.database() as connection:
        connection.execute("SELECT pg_promote()")
        # The primary waited for its replica; this one has none.
        connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
        connection.execute("SELECT pg_reload_conf()")
    write_pgbouncer(stack)
    stack.parts["pgbouncer"].send(signal.SIGHUP)
    yield


def replica_of(stack: Stack) -> Part:
    """Return a running replica, for whose copy every commit of the primary waits from now on."""
    user, folder = unprivileged_user(), stack.folder / "replica"
    folder.mkdir()
    os.chown(folder, user.pw_uid, user.pw_gid)
    command = [program("pg_basebackup"), "-h", stack.postgresql_folder, "-U", user.pw_name]
    command += ["-D", folder / "data", "-R", "--checkpoint=fast", "--no-sync"]
    subprocess.run(command, check=True, capture_output=True, cwd="/", **identity(user))
    part = postgresql_part(stack, "replica", folder)
    stack.parts["replica"] = part
    part.start()
    with stack.database() as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("SELECT pg_reload_conf()")
        while not connection.execute(
            "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        ).fetchone():
            time.sleep(0.05)
        # Commits wait once the checkpointer has read the setting, as it does before a checkpoint.
        connection.execute("CHECKPOINT")
    del stack.parts["replica"]
    return part


@contextmanager
def full(stack: Stack) -> Iterator[None]:
    """Redis takes no more data."""
    with stack.cache() as client:
        client.config_set("maxmemory", "1")
        yield
        client.config_set("maxmemory", "64mb")


@contextmanager
def processes_killed(stack: Stack) -> Iterator[None]:
    """One process of each server, with the requests that it has begun."""
    for host in stack.hosts:
        os.kill(min(children(server_of(stack, host))), signal.SIGKILL)
    yield


@contextmanager
def killed_before_commit(stack: Stack) -> Iterator[None]:
    """All processes while their writes wait for a lock, so in the middle of transactions."""
    with stack.database() as connection, connection.transaction():
        connection.execute("LOCK TABLE rides_booking IN EXCLUSIVE MODE")
        while not waiting_for_locks(connection):
            time.sleep(0.02)
        for host in stack.hosts:
            for pid in children(server_of(stack, host)):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)
    yield


@contextmanager
def killed_after_commit(stack: Stack) -> Iterator[None]:
    """All processes while a write is on disk, but its commit has not been confirmed to them."""
    with stack.database() as connection:
        # Commits wait for a replica that there is not, after they are on disk.
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        connection.execute("SELECT pg_reload_conf()")
        waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while not connection.execute(waiting).fetchone():
            time.sleep(0.02)
        for host in stack.hosts:
            for pid in children(server_of(stack, host)):
                os.kill(pid, signal.SIGKILL)
        connection.execute("ALTER SYSTEM RESET synchronous_standby_names")
        connection.execute("SELECT pg_reload_conf()")
    yield


#: A column as a migration should add it, so that code that does not know it goes on writing.
DEFAULT = "DEFAULT ''"


@contextmanager
def new_column(default: str, stack: Stack) -> Iterator[None]:
    """The table of bookings has a column already that this code does not know."""
    with stack.database() as connection:
        # Filled for the rows that are there; what new ones get is what differs.
        connection.execute("ALTER TABLE rides_booking ADD COLUMN added text NOT NULL DEFAULT ''")
        if not default:
            connection.execute("ALTER TABLE rides_booking ALTER COLUMN added DROP DEFAULT")
        yield
        connection.execute("ALTER TABLE rides_booking DROP COLUMN added")


@contextmanager
def column_missing(stack: Stack) -> Iterator[None]:
    """This code knows a column of bookings that no migration has added yet."""
    with stack.database() as connection:
        connection.execute("ALTER TABLE rides_booking RENAME COLUMN changed TO kept")
        yield
        connection.execute("ALTER TABLE rides_booking RENAME COLUMN kept TO changed")


@contextmanager
def old_rows(stack: Stack) -> Iterator[None]:
    """Bookings hold what this code refuses: a note that is too long, and no moment of a change."""
    with stack.database() as connection:
        connection.execute("ALTER TABLE rides_booking ALTER COLUMN note TYPE text")
        connection.execute("ALTER TABLE rides_booking ALTER COLUMN changed DROP NOT NULL")
        refused = "SET note = note || repeat('x', 300), changed = NULL"
        last = "SELECT max(id) FROM rides_booking"
        (row,) = connection.execute(last).fetchone() or (None,)
        connection.execute(f"UPDATE rides_booking {refused} WHERE id = %s", (row,))
        yield
        mended = "SET note = left(note, -300), changed = now()"
        connection.execute(f"UPDATE rides_booking {mended} WHERE id = %s", (row,))
        connection.execute("ALTER TABLE rides_booking ALTER COLUMN changed SET NOT NULL")
        connection.execute("ALTER TABLE rides_booking ALTER COLUMN note TYPE varchar(200)")


def waiting_for_locks(connection: psycopg.Connection) -> int:
    return counted(connection, "SELECT count(*) FROM pg_locks WHERE NOT granted")


UPLOAD = (
    "POST /rides/bikes/1/reports/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token {token}\r\n"
    "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n"
    '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\n'
)


def connected(stack: Stack) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(stack.certificate))
    plain = socket.create_connection(("127.0.0.1", stack.port), timeout=30)
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


@contextmanager
def gone_in_uploads(stack: Stack) -> Iterator[None]:
    """Twenty clients that leave in the middle of what they send, past nginx as well."""
    token = traffic.token_of(stack)
    begun = UPLOAD.format(token=token).encode() + b"\x89PNG" * 1000
    for number in range(20):
        if number % 2:
            with connected(stack) as client:
                client.sendall(begun)
        else:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(stack.hosts[0].socket))
                client.sendall(begun)
    yield


@contextmanager
def gone_in_streams(stack: Stack) -> Iterator[None]:
    """Twenty clients that leave after the first bytes of a stream of all trips."""
    request = b"GET /rides/trips/?format=ndjson HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for _ in range(20):
        with connected(stack) as client:
            client.sendall(request)
            client.recv(100)
    yield


@contextmanager
def slow_bodies(stack: Stack) -> Iterator[None]:
    """A hundred clients that send a byte of a body every second."""
    token = traffic.token_of(stack)
    with ExitStack() as held:
        clients = [held.enter_context(connected(stack)) for _ in range(100)]
        for client in clients:
            client.sendall(UPLOAD.format(token=token).encode())
        for _ in range(4):
            for client in clients:
                client.sendall(b"x")
            time.sleep(1)
        yield


IDLE = 10_000


@contextmanager
def idle_connections(stack: Stack) -> Iterator[None]:
    """Ten thousand connections that send nothing."""
    with ExitStack() as held:
        for _ in range(IDLE):
            place = ("127.0.0.1", stack.port)
            held.enter_context(socket.create_connection(place, timeout=30))
        yield


def allow_files() -> None:
    """Let this process and nginx open as many as idle connections need. Raises RuntimeError."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < IDLE + 1000:
        raise RuntimeError(f"{IDLE:,} connections need a limit of {IDLE + 1000:,} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (IDLE * 2 if most < 0 else most, most))


CLOCK = partial(Fault, seconds=1, needs=clocks.library)

FAULTS = (
    Fault("PostgreSQL killed, started after 2 s", partial(killed, name="postgresql")),
    Fault("PostgreSQL restarted", partial(restarted, name="postgresql"), 0),
    Fault("PostgreSQL read-only for 3 s", read_only, 3),
    Fault("all connections of PgBouncer held for 8 s", out_of_connections, 8),
    Fault("all connections cut, ten times", cut_in_transactions, 0),
    Fault("PgBouncer restarted", partial(restarted, name="pgbouncer"), 0),
    Fault("PgBouncer killed, started after 2 s", partial(killed, name="pgbouncer")),
    Fault("Redis killed, started after 3 s", partial(killed, name="redis"), 3),
    Fault("Redis frozen for 2 s", partial(frozen, name="redis"), 2),
    Fault("Redis frozen for 14 s", partial(frozen, name="redis"), 14),
    Fault("Redis full for 3 s", full, 3),
    Fault("a process of each server killed", processes_killed),
    Fault("all processes killed in transactions", killed_before_commit),
    Fault("all processes killed between commit and answer", killed_after_commit),
    Fault("20 clients gone in uploads", gone_in_uploads, 1),
    Fault("20 clients gone in streams", gone_in_streams, 1),
    Fault("100 clients with slow bodies, for 4 s", slow_bodies, 0),
    Fault("10,000 idle connections at nginx for 5 s", idle_connections, 5, needs=allow_files),
    Fault("the disk of a table full for 3 s", full_of_rows, 3),
    Fault("the disk of uploads full for 3 s, and 2 clients that upload", full_of_uploads, 3),
    Fault("old code beside a new column with a default for 3 s", partial(new_column, DEFAULT), 3),
    Fault("old code beside a new column without one for 3 s", partial(new_column, ""), 3),
    Fault("new code before its migration for 3 s", column_missing, 3),
    Fault("new code beside old rows that it refuses for 3 s", old_rows, 3),
    CLOCK("the clock of a host an hour late, then early", partial(clocks.stepped, hosts=1)),
    CLOCK("the clocks of both hosts an hour late, then early", partial(clocks.stepped, hosts=2)),
    Fault("Redis killed, its replica promoted by Sentinel", sentinel.failed_over, 1),
    Fault("the primary killed, its replica promoted", failed_over),
)


def observed(stack: Stack, token: str, fault: Fault) -> Report:
    """Break it while clients ask, mend it, and look at what is left."""
    for host in stack.hosts:
        server_of(stack, host).wait_until_it_answers()
    marks = {host.name: server_of(stack, host).log.stat().st_size for host in stack.hosts}
    before = files(stack)
    with traffic.flowing(stack, token) as tally:
        report = Report(fault.title, tally)
        with watching(stack, report.failed_checks):
            time.sleep(fault.before)
            with fault.breaks(stack) as seen:
                time.sleep(fault.seconds)
            # What clients of the fault itself were answered.
            tally.answers.update(seen if isinstance(seen, Counter) else {})
            report.recovered = seconds_to_recover(stack, token)
            time.sleep(fault.after)
    report.books = traffic.checked(stack, tally)
    lines = list(logged(stack, marks))
    report.lines = Counter(name for members in lines for name in named(members))
    report.tracebacks = [str(members["exception"]) for members in lines if "exception" in members]
    report.left = left(stack, before)
    return report


@contextmanager
def supervising(stack: Stack) -> Iterator[None]:
    """Start workers and servers again that end by themselves, as systemd does.

    Workers end when the database goes, granian when processes die twice within 5.5 seconds.
    """
    stopped = threading.Event()

    def keep() -> None:
        while not stopped.wait(0.5):
            for part in list(stack.parts.values()):
                is_kept = part.name.startswith(("worker", "server")) and not part.is_stopped
                if is_kept and not part.runs:
                    part.begin()

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


@contextmanager
def watching(stack: Stack, failed: set[str]) -> Iterator[None]:
    """Ask ``/health/ready/`` of the first host, and note the checks that fail."""
    stopped = threading.Event()

    def watch() -> None:
        with stack.client_of(stack.hosts[0]) as client:
            while not stopped.wait(0.2):
                try:
                    # httpx2 leaves the socket open, with a warning, if nobody accepts.
                    accept(stack.hosts[0].socket)
                    answer = client.get("/health/ready/").json()
                except Exception:
                    failed.add("no answer")
                    continue
                checks = answer.get("checks", {}).items()
                failed.update(f"not ready: {name}" for name, each in checks if "error" in each)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def seconds_to_recover(stack: Stack, token: str) -> float:
    """How long until a row and a count from the cache are read again."""
    began = time.monotonic()
    with stack.client(headers={"Authorization": f"Token {token}"}) as client:
        while time.monotonic() - began < RECOVERY:
            try:
                paths = ("/rides/bikes/1/", "/receipts/")
                if all(client.get(path).status_code == 200 for path in paths):
                    break
            except Exception:
                time.sleep(0.05)
    return time.monotonic() - began


def logged(stack: Stack, marks: dict[str, int]) -> Iterator[dict[str, object]]:
    """Lines of the level ERROR since the marks."""
    for host in stack.hosts:
        text = server_of(stack, host).log.read_bytes()[marks[host.name] :].decode(errors="replace")
        for line in text.splitlines():
            if '"ERROR"' in line and line.startswith("{"):
                yield json.loads(line)


def named(members: dict[str, object]) -> list[str]:
    """By logger; of requests, by status. Not probes, nor what Django says of a request again."""
    if str(members.get("path", "")).startswith("/health/"):
        return []
    if "status" in members:
        return [f"requests {members['status']}"]
    return [] if members["logger"] == "django.request" else [str(members["logger"])]


def chosen() -> list[Fault]:
    """The faults in whose title the pattern in FAULT is found; all without it."""
    pattern = os.environ.get("FAULT", "")
    return [each for each in FAULTS if re.search(pattern, each.title)]


def main() -> None:
    options = Options(hosts=2, processes=2, trips=20_000, snippets=20, limits=traffic.UNLIMITED)
    for fault in chosen():
        fault.needs()
    reports = []
    with running(options) as stack, supervising(stack):
        token = traffic.token_of(stack)
        for fault in chosen():
            reports.append(observed(stack, token, fault))
            print(" | ".join(reports[-1].row()), flush=True)
    if len(reports) == len(FAULTS):
        pages.put("faults.md", "faults", pages.table(HEAD, [each.row() for each in reports]))
    unsound = [each.title for each in reports if not each.is_sound]
    if unsound:
        sys.exit(f"not as promised: {'; '.join(unsound)}")


if __name__ == "__main__":
    main()
