"""Real servers for the tests: Redis and PostgreSQL, each in its own folder, and databases.

Both listen on a socket in that folder, never on a port, so that nothing else on the machine can
reach or disturb them. Their data is deleted when the test process ends.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import redis
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.models import Model
from django.test import override_settings
from services import program

#: PostgreSQL refuses to run as root; these users exist on every system.
UNPRIVILEGED = ("postgres", "nobody")

#: Speed instead of safety: a crash of the machine may lose data.
POSTGRESQL_OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "listen_addresses": "",
    "max_connections": "40",
    "shared_buffers": "32MB",
    "autovacuum": "off",
}
SECONDS_TO_START = 30
EXTENSIONS = ("hstore", "unaccent")


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """A running server with an empty database; its socket is in ``folder``."""

    folder: Path
    user: str

    @property
    def settings(self) -> dict[str, Any]:
        """An entry for DATABASES."""
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "postgres",
            "USER": self.user,
            "HOST": str(self.folder),
        }

    def connect(self) -> psycopg.Connection[Any]:
        """Return a separate connection, independent of Django."""
        return psycopg.connect(
            host=str(self.folder), user=self.user, dbname="postgres", autocommit=True
        )


@dataclass(frozen=True, slots=True)
class Redis:
    """A running server; ``address`` is what clients connect to."""

    address: str

    @property
    def settings(self) -> dict[str, Any]:
        """An entry for CACHES."""
        return {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": self.address,
        }

    def process(self) -> int:
        """The id of the server's process."""
        with redis.Redis.from_url(self.address) as client:
            return int(client.info("server")["process_id"])

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the server for the duration of the block: it accepts connections, and hangs."""
        process = self.process()
        os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process, signal.SIGCONT)


@contextmanager
def running_redis(place: Path | None = None) -> Iterator[Redis]:
    """Run a Redis server for the duration of the block, in a new folder or in ``place``."""
    with nullcontext(place) if place else folder_of("redis") as folder:
        socket = folder / "socket"
        command = [program("redis-server"), "--port", "0", "--unixsocket", socket]
        command += ["--save", "", "--appendonly", "no", "--dir", folder]
        server = Redis(f"unix://{socket}")

        def is_ready() -> bool:
            with redis.Redis.from_url(server.address) as client:
                return client.ping()

        with running(command, folder, is_ready, redis.ConnectionError):
            yield server


@contextmanager
def running_postgresql(**changed: str) -> Iterator[PostgreSQL]:
    """Run a PostgreSQL server for the duration of the block; ``changed`` are options of it."""
    with folder_of("postgresql") as folder:
        user = owner_of(folder)
        data = folder / "data"
        _initialise(data, user)
        options = {**POSTGRESQL_OPTIONS, **changed, "unix_socket_directories": str(folder)}
        settings = [part for name in options for part in ("-c", f"{name}={options[name]}")]
        server = PostgreSQL(folder, user.pw_name)

        def is_ready() -> bool:
            with server.connect() as connection:
                return bool(connection.execute("SELECT 1").fetchone())

        command = [program("postgres"), "-D", data, *settings]
        # The interrupt lets PostgreSQL close connections that are still open.
        with running(command, folder, is_ready, psycopg.OperationalError, user, signal.SIGINT):
            yield server


def _initialise(data: Path, user: pwd.struct_passwd) -> None:
    options = ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C.UTF-8"]
    subprocess.run(
        [program("initdb"), *options, "--auth=trust", f"--username={user.pw_name}", "-D", data],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
        **_identity(user),
    )


def _unprivileged_user() -> pwd.struct_passwd:
    """Return the user for PostgreSQL: the current one, or another one if that is root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in UNPRIVILEGED if name in known)


def owner_of(folder: Path) -> pwd.struct_passwd:
    """Give a folder to the user of programs that refuse to run as root; return the user."""
    user = _unprivileged_user()
    os.chown(folder, user.pw_uid, user.pw_gid)
    return user


def _identity(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return arguments for starting a process as another user, which only root needs."""
    if user is None or os.geteuid() != 0:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def folder_of(name: str) -> Iterator[Path]:
    # Socket paths are limited to about 100 bytes, which pytest's folders exceed.
    folder = Path(tempfile.mkdtemp(prefix=f"lintel-{name}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running(
    command: list[Any],
    folder: Path,
    is_ready: Callable[[], bool],
    not_ready: type[Exception],
    user: pwd.struct_passwd | None = None,
    farewell: signal.Signals = signal.SIGTERM,
) -> Iterator[None]:
    """Run a server command, wait until it responds, and end it by its process id."""
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*_bound_to_this_process(farewell), *command],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            # A Ctrl-C for pytest must not stop the server: tests end it when they are done.
            process_group=0,
            **_identity(user),
        )
    try:
        _wait(process, log, is_ready, not_ready)
        yield
    finally:
        process.send_signal(farewell)
        process.wait(timeout=20)


def _bound_to_this_process(farewell: signal.Signals) -> list[str]:
    """Return a prefix with which Linux ends the server if this process is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", farewell.name.removeprefix("SIG")] if setpriv else []


def _wait(
    process: subprocess.Popen[bytes],
    log: Path,
    is_ready: Callable[[], bool],
    not_ready: type[Exception],
) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if is_ready():
                return
        except not_ready:
            time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} did not start:\n{log.read_text(errors='replace')}")


def wait_for(address: tuple[str, int], process: subprocess.Popen[bytes]) -> None:
    """Return when a server accepts connections. Raises RuntimeError if it does not start."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return socket.create_connection(address).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise RuntimeError("The server did not start.")


@contextmanager
def postgresql_database(
    alias: str,
    blocker: Any,
    reached: Callable[[PostgreSQL], AbstractContextManager[dict[str, Any]]] = lambda server: (
        nullcontext(server.settings)
    ),
) -> Iterator[str]:
    """A PostgreSQL database of Django, with extensions and the tables of all apps.

    ``reached`` says how Django reaches the server.
    """
    with running_postgresql() as server:
        with server.connect() as connection:
            for name in EXTENSIONS:
                connection.execute(f"CREATE EXTENSION {name}")
        with reached(server) as settings, tables_in(alias, settings, blocker):
            yield alias


def another_database(server: PostgreSQL, name: str) -> dict[str, Any]:
    """Make a second database on a server; return its entry for DATABASES."""
    with server.connect() as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return {**server.settings, "NAME": name}


@contextmanager
def sqlite_database(alias: str, blocker: Any) -> Iterator[str]:
    """An SQLite database of Django in a file, which several connections may share."""
    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
    options = {"timeout": 30, "transaction_mode": "IMMEDIATE", "init_command": pragmas}
    with folder_of("sqlite") as folder:
        name = str(folder / "database")
        settings = {"ENGINE": "django.db.backends.sqlite3", "NAME": name, "OPTIONS": options}
        with tables_in(alias, settings, blocker):
            yield alias


@contextmanager
def tables_in(
    alias: str, settings: dict[str, Any], blocker: Any, later: dict[str, Any] | None = None
) -> Iterator[None]:
    """Add a database to Django for the duration of the block, with all tables.

    It is not one of the databases that pytest-django creates before the tests begin. ``later`` are
    the settings with which it is used once it has its tables.
    """
    _set(alias, settings)
    try:
        with blocker.unblock(), override_settings(MIGRATION_MODULES=_no_migrations()):
            call_command("migrate", database=alias, run_syncdb=True, verbosity=0)
        if later is not None and later != settings:
            connections[alias].close()
            del connections[alias]
            _set(alias, later)
        yield
    finally:
        connections[alias].close()
        if connections[alias].settings_dict["OPTIONS"].get("pool"):
            connections[alias].close_pool()
        del connections[alias]
        del connections.settings[alias]


def _set(alias: str, settings: dict[str, Any]) -> None:
    connections.settings[alias] = connections.configure_settings({"default": {}, alias: settings})[
        alias
    ]


@contextmanager
def another_alias(alias: str) -> Iterator[str]:
    """Another alias of the same database for the duration of the block."""
    name = f"{alias}_again"
    connections.settings[name] = connections.settings[alias]
    try:
        yield name
    finally:
        connections[name].close()
        del connections[name]
        del connections.settings[name]


def wrappers(connection: Any) -> list[Any]:
    """The wrappers of a connection, without those of the log and of traces, which stay."""
    lasting = ("lintel.requestlog.", "lintel.telemetry.")
    return [
        wrapper
        for wrapper in connection.execute_wrappers
        if not str(getattr(wrapper, "__module__", "")).startswith(lasting)
    ]


def _no_migrations() -> dict[str, None]:
    """Create tables from the models: those without migrations need the others first."""
    return {each.label: None for each in apps.get_app_configs()}


class Router:
    """Routes everything to one database."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def db_for_read(self, model: Any, **hints: Any) -> str:
        return self.alias

    db_for_write = db_for_read

    def allow_relation(self, *objects: Any, **hints: Any) -> bool:
        return True


@contextmanager
def tables_of(alias: str, models: Sequence[type[Model]]) -> Iterator[str]:
    """The tables of models that only these tests have; each after those that it refers to."""
    with connections[alias].schema_editor() as editor:
        for model in models:
            editor.create_model(model)
    try:
        yield alias
    finally:
        with connections[alias].schema_editor() as editor:
            for model in reversed(models):
                editor.delete_model(model)


@contextmanager
def everything_in(alias: str, blocker: Any, *emptied: type[Model]) -> Iterator[str]:
    """Make Django use only this database in the block; end it without rows of the models."""
    with blocker.unblock(), override_settings(DATABASE_ROUTERS=[Router(alias)]):
        try:
            yield alias
        finally:
            for model in emptied:
                # One statement: PgBouncer may take no transactions.
                model.objects.all()._raw_delete(alias)
