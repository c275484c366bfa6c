"""Redis failed over by its Sentinel, which moves the address that the service knows."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis
from services import program

from production.parts import Part, accept
from production.stack import Stack

#: Where Sentinel calls its script: the clients' address becomes that of the new primary.
SCRIPT = '#!/bin/sh\nln -s "{new}" "{address}.new" && mv -fT "{address}.new" "{address}"\n'

SENTINEL = """\
port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor service 127.0.0.1 {primary} 1
sentinel down-after-milliseconds service 1000
sentinel failover-timeout service 5000
sentinel client-reconfig-script service {script}
"""

#: Sentinel asks a primary for its replicas every ten seconds.
SECONDS_TO_KNOW = 60


@contextmanager
def failed_over(stack: Stack) -> Iterator[None]:
    """Kill the primary. At the end the replica has its name, and Sentinel is gone."""
    primary, ports = stack.parts["redis"], free_ports(3)
    with stack.cache() as client:
        client.config_set("bind", "127.0.0.1")
        client.config_set("port", str(ports[0]))
    replica = replica_of(stack, *ports[:2])
    sentinel = watched(stack, replica, *ports)
    primary.kill()
    yield
    until(lambda: role(ports[1]) == "master" and bool(stack.cache().ping()))
    sentinel.stop()
    del stack.parts["sentinel"], stack.parts["redis-replica"]
    stack.parts["redis"] = replica


def replica_of(stack: Stack, primary: int, port: int) -> Part:
    """Return a running replica that has all data."""
    address = stack.folder / "redis-replica.sock"
    command = [program("redis-server"), "--port", str(port), "--bind", "127.0.0.1"]
    command += ["--unixsocket", address, "--save", "", "--appendonly", "no"]
    command += ["--maxmemory", "64mb", "--dir", stack.folder]
    command += ["--replicaof", f"127.0.0.1 {primary}"]
    part = stack.add("redis-replica", command, answers=lambda: accept(address))
    part.wait_until_it_answers()
    until(lambda: information(port).get("master_link_status") == "up")
    return part


def watched(stack: Stack, replica: Part, primary: int, port: int, own: int) -> Part:
    """Return a Sentinel that knows the primary and its replica."""
    script, file = stack.folder / "moved.sh", stack.folder / "sentinel.conf"
    address = stack.folder / "redis-replica.sock"
    script.write_text(SCRIPT.format(new=address, address=stack.redis_socket))
    script.chmod(0o755)
    values = {"port": own, "folder": stack.folder, "primary": primary, "script": script}
    file.write_text(SENTINEL.format(**values))
    part = stack.add("sentinel", [program("redis-server"), file, "--sentinel"])

    def knows() -> bool:
        with redis.Redis(port=own) as client:
            return bool(client.execute_command("SENTINEL", "REPLICAS", "service"))

    until(knows)
    return part


def role(port: int) -> str:
    return str(information(port).get("role"))


def information(port: int) -> dict[str, object]:
    with redis.Redis(port=port) as client:
        return dict(client.info("replication"))


def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds. Raises TimeoutError."""
    deadline = time.monotonic() + SECONDS_TO_KNOW
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except redis.RedisError:
            pass  # not yet
        time.sleep(0.1)
    raise TimeoutError("Redis and its Sentinel did not become what they should be")


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody has now."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [int(each.getsockname()[1]) for each in held]
    finally:
        for each in held:
            each.close()
