"""The whole stack: started in the order in which its parts need each other, stopped in reverse."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import redis
from services import SERVICES, find_program, program

from production import hosts, texts
from production.hosts import Host
from production.parts import Part, accept, identity, unprivileged_user

REPOSITORY = Path(__file__).resolve().parents[2]
SERVICE = REPOSITORY / "examples" / "service"

#: What the stack is made of.
PROGRAMS = ("nginx", "pgbouncer", "initdb", "postgres", "redis-server", "openssl")
#: The server's interface and application for each value of SERVER.
SERVERS = {
    "wsgi": ("wsgi", "service.wsgi:application"),
    "asgi": ("asginl", "service.asgi:application"),
    "lintel": ("wsgi", "lintel.serving:get_wsgi_application"),
    "lintel-asgi": ("asginl", "lintel.serving:get_asgi_application"),
}
PASSWORD = "only-on-loopback"


@dataclass(frozen=True)
class Options:
    """What can be chosen: numbers of hosts and processes, the entry point, the port of nginx."""

    hosts: int = 1
    processes: int = 2
    threads: int = 4
    server: str = "lintel"
    port: int = 0
    pool: int = 20
    #: Seconds from one new process of a server to its next one.
    pause: float = 3.5
    #: Seconds that Redis may take to count a request before the request is refused.
    throttle_timeout: float = 0.25
    trips: int = 2000
    snippets: int = 200
    limits: dict[str, object] = field(default_factory=dict)


@dataclass
class Stack:
    """What runs, by name; :attr:`hosts` and :attr:`parts` in the order in which they began."""

    folder: Path
    options: Options
    port: int
    secret_key: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    hosts: list[Host] = field(default_factory=list)
    parts: dict[str, Part] = field(default_factory=dict)
    #: Where the socket of PostgreSQL is; after a failover, that of the replica.
    postgresql_folder: Path = field(init=False)

    def __post_init__(self) -> None:
        self.postgresql_folder = self.folder / "postgresql"

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    def client(self, **own: Any) -> httpx2.Client:
        """A client for nginx, which trusts its certificate."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        return httpx2.Client(base_url=self.url, verify=context, timeout=30, **own)

    def client_of(self, host: Host, **own: Any) -> httpx2.Client:
        """A client for the server of one host, as nginx asks it."""
        headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"}
        transport = httpx2.HTTPTransport(uds=str(host.socket))
        return httpx2.Client(
            base_url="http://localhost", transport=transport, headers=headers, timeout=30, **own
        )

    def database(self) -> psycopg.Connection[Any]:
        """A connection to PostgreSQL itself, past PgBouncer."""
        place = {"host": str(self.postgresql_folder), "user": self.user}
        return psycopg.connect(**place, dbname="service", autocommit=True)

    def cache(self) -> redis.Redis:
        return redis.Redis.from_url(self.redis_address)

    @property
    def user(self) -> str:
        return unprivileged_user().pw_name

    @property
    def redis_address(self) -> str:
        return f"unix://{self.redis_socket}"

    @property
    def redis_socket(self) -> Path:
        return self.folder / "redis.sock"

    def environment(self, host: Host | None = None, bouncer: bool = True) -> dict[str, str]:
        """The environment of the service's processes; migrations go past PgBouncer."""
        postgresql = self.folder / "pgbouncer" if bouncer else self.postgresql_folder
        return {
            "DJANGO_SETTINGS_MODULE": "service.production",
            "SERVICE_SECRET_KEY": self.secret_key,
            "SERVICE_POSTGRESQL": str(postgresql),
            "SERVICE_POSTGRESQL_PORT": "6432" if bouncer else "5432",
            "SERVICE_POSTGRESQL_USER": self.user,
            "SERVICE_REDIS": self.redis_address,
            "SERVICE_THROTTLE_TIMEOUT": str(self.options.throttle_timeout),
            "SERVICE_STATIC": str(self.folder / "static"),
            "SERVICE_UPLOADS": str(self.folder / "uploads"),
            "TMPDIR": str(self.folder / "temporary"),
            **({"LINTEL_DRAIN_FILE": str(host.drain_file)} if host else {}),
        }

    def add(self, name: str, command: list[Any], **own: Any) -> Part:
        """Begin to start a part and remember it."""
        part = Part(name, command, self.folder / "logs" / f"{name}.log", **own)
        self.parts[name] = part
        part.begin()
        return part

    def wait(self) -> None:
        """Return when all parts answer. Raises RuntimeError with the log of one that does not."""
        for part in self.parts.values():
            part.wait_until_it_answers()

    def stop(self) -> None:
        """Stop everything, the newest first, so that nobody waits for what has gone."""
        for part in reversed(self.parts.values()):
            part.stop()
        for host in self.hosts:
            host.close()


def missing_programs() -> str:
    """Return what is not installed and how to get it; "" if everything is there."""
    missing = [name for name in PROGRAMS if find_program(name) is None]
    if not missing:
        return ""
    packages = [each.package for each in SERVICES if set(each.programs) & set(missing)]
    install = f"apt-get install {' '.join(packages)}"
    return f"the stack needs {', '.join(missing)}; install {' '.join(packages)} (Debian: {install})"


@contextmanager
def running(options: Options | None = None) -> Iterator[Stack]:
    """Run the stack for the duration of the block, in a new folder. Raises RuntimeError."""
    with prepared(options or Options()) as stack:
        start(stack)
        yield stack


@contextmanager
def prepared(options: Options) -> Iterator[Stack]:
    """A stack of which nothing runs yet; what was started stops at the end. Raises RuntimeError."""
    told = missing_programs()
    if told:
        raise RuntimeError(told)
    # Short, as the paths of sockets have to be, and readable for PostgreSQL's user.
    folder = Path(tempfile.mkdtemp(prefix="lintel-production-"))
    folder.chmod(0o755)
    stack = Stack(folder, options, options.port or _free_port())
    try:
        for name in ("logs", "static", "uploads", "temporary"):
            (folder / name).mkdir()
        yield stack
    finally:
        stack.stop()
        shutil.rmtree(folder, ignore_errors=True)


def start(stack: Stack) -> None:
    """Start everything in its order: data, migrations and sample data, hosts, nginx."""
    start_redis(stack)
    start_postgresql(stack)
    prepare(stack)
    start_pgbouncer(stack)
    for number in range(1, stack.options.hosts + 1):
        name = f"host{number}"
        host = hosts.made(name, stack.folder / name, apart=stack.options.hosts > 1)
        stack.hosts.append(host)
        start_server(stack, host)
        start_worker(stack, host)
    stack.wait()
    start_nginx(stack)
    stack.wait()


def start_redis(stack: Stack) -> None:
    # noeviction: a counter that is thrown away would lift its limit.
    command = [program("redis-server"), "--port", "0", "--unixsocket", stack.redis_socket]
    command += ["--maxmemory", "64mb", "--maxmemory-policy", "noeviction"]
    command += ["--save", "", "--appendonly", "no", "--dir", stack.folder]

    def answers() -> bool:
        with stack.cache() as client:
            return accept(stack.redis_socket) and bool(client.ping())

    stack.add("redis", command, answers=answers)


def start_postgresql(stack: Stack) -> None:
    """A new cluster, whose commits are on disk before they are acknowledged."""
    user, folder = unprivileged_user(), stack.postgresql_folder
    folder.mkdir()
    os.chown(folder, user.pw_uid, user.pw_gid)
    options = ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C.UTF-8"]
    command = [program("initdb"), *options, "--auth=trust", f"--username={user.pw_name}"]
    data = folder / "data"
    subprocess.run(
        [*command, "-D", data], check=True, capture_output=True, cwd="/", **identity(user)
    )
    part = postgresql_part(stack, "postgresql", folder)
    stack.parts[part.name] = part
    part.start()
    with psycopg.connect(
        host=str(folder), user=user.pw_name, dbname="postgres", autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE service")


def postgresql_part(stack: Stack, name: str, folder: Path) -> Part:
    """A server of PostgreSQL with the data in this folder, where its socket will be, too."""
    user = unprivileged_user()
    place = {"listen_addresses": "", "unix_socket_directories": str(folder)}
    sizes = {"max_connections": "60", "shared_buffers": "64MB", "log_min_messages": "warning"}
    settings = [
        part for name, value in {**place, **sizes}.items() for part in ("-c", f"{name}={value}")
    ]

    def answers() -> bool:
        with psycopg.connect(host=str(folder), user=user.pw_name, dbname="postgres") as connection:
            return bool(connection.execute("SELECT 1").fetchone())

    command = [program("postgres"), "-D", folder / "data", *settings]
    log = stack.folder / "logs" / f"{name}.log"
    return Part(name, command, log, answers, farewell=signal.SIGINT, user=user)


def start_pgbouncer(stack: Stack) -> None:
    user, folder = unprivileged_user(), stack.folder / "pgbouncer"
    folder.mkdir()
    os.chown(folder, user.pw_uid, user.pw_gid)
    file = write_pgbouncer(stack)

    def answers() -> bool:
        place = {"host": str(folder), "port": 6432, "user": user.pw_name, "dbname": "service"}
        with psycopg.connect(**place) as connection:
            return bool(connection.execute("SELECT 1").fetchone())

    command = [program("pgbouncer"), "--quiet", file]
    stack.add("pgbouncer", command, answers=answers, user=user, farewell=signal.SIGINT)


def write_pgbouncer(stack: Stack) -> Path:
    folder = stack.folder / "pgbouncer"
    text = texts.pgbouncer(folder, stack.postgresql_folder, stack.user, stack.options.pool)
    file = folder / "pgbouncer.ini"
    file.write_text(text)
    return file


def prepare(stack: Stack) -> None:
    """Migrations as a step of their own, past PgBouncer, before anything of the service starts."""
    script, options = Path(__file__).with_name("prepare.py"), stack.options
    run = subprocess.run(
        [sys.executable, script, PASSWORD, str(options.snippets), str(options.trips)],
        cwd=SERVICE,
        env={**os.environ, **stack.environment(bouncer=False)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"the migrations failed:\n{run.stdout}")


def start_server(stack: Stack, host: Host, **environment: str) -> None:
    """Begin to start the server of a host, with more in its environment if wanted."""
    options, folder = stack.options, SERVICE
    interface, target = SERVERS[options.server]
    command: list[Any] = [*host.prefix, sys.executable, "-m", "granian", "--interface", interface]
    command += ["--no-ws", "--uds", host.socket, "--uds-permissions", "0666"]
    command += ["--workers", options.processes, "--working-dir", folder]
    command += ["--respawn-failed-workers", "--respawn-interval", options.pause]
    command += ["--workers-kill-timeout", "30"]
    if interface == "wsgi":
        command += ["--blocking-threads", options.threads]
    if target.startswith("lintel."):
        command += ["--factory"]

    def answers() -> bool:
        with stack.client_of(host) as client:
            return accept(host.socket) and client.get("/health/started/").status_code == 200

    own = {**stack.environment(host), **environment}
    given: dict[str, Any] = {"answers": answers, "environment": own, "socket": host.socket}
    stack.add(server_name(host), [*command, target], **given)


def server_name(host: Host) -> str:
    return f"server-{host.name}"


def server_of(stack: Stack, host: Host) -> Part:
    return stack.parts[server_name(host)]


def start_worker(stack: Stack, host: Host) -> None:
    """The tasks' worker; it asks for work every fifth of a second."""
    command = [*host.prefix, sys.executable, SERVICE / "manage.py", "db_worker"]
    command += ["--interval", "0.2", "--no-startup-delay", "--worker-id", host.name]
    stack.add(f"worker-{host.name}", command, environment=stack.environment(host))


def start_nginx(stack: Stack, path: str = "/health/live/") -> None:
    """Begin to start nginx, which answers once the service does at this path."""
    folder, sockets = stack.folder, [host.socket for host in stack.hosts]
    texts.write_certificate(str(program("openssl")), folder)
    user = f"user {unprivileged_user().pw_name};" if os.geteuid() == 0 else ""
    limits = {"user": user, **stack.options.limits}
    file = folder / "nginx.conf"
    file.write_text(texts.nginx(folder, folder / "static", stack.port, sockets, **limits))
    (folder / "proxy.conf").write_text(texts.PROXY)

    def answers() -> bool:
        with stack.client() as client:
            return client.get(path).status_code == 200

    command = [program("nginx"), "-c", file, "-p", folder, "-e", folder / "logs/nginx-errors.log"]
    stack.add("nginx", command, answers=answers, farewell=signal.SIGQUIT)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
