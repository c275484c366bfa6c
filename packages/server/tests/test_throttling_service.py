"""Every kind of limit holds for writes to PostgreSQL by four processes that count in one Redis."""

import json
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from typing import Any

import pytest
import redis
from contract_project.models import Membership
from django.db import connections
from limited_service import NUMBERS
from servers import Redis, everything_in

SERVICE = Path(__file__).with_name("limited_service.py")


@pytest.fixture
def port(postgresql: str, redis_server: Redis, django_db_blocker: Any) -> Iterator[int]:
    """The port of the server, for which nobody has been counted and nothing written yet."""
    known = ("ENGINE", "NAME", "USER", "HOST", "PORT", "OPTIONS")
    database = {each: connections.settings[postgresql][each] for each in known}
    given = {"DATABASES": {"default": database}, "CACHES": {"default": redis_server.settings}}
    with redis.Redis.from_url(redis_server.address) as client:
        client.flushall()
    with (
        everything_in(postgresql, django_db_blocker, Membership),
        socket.create_server(("127.0.0.1", 0), backlog=128) as listener,
    ):
        process = subprocess.Popen(
            [sys.executable, SERVICE, json.dumps(given), str(listener.fileno())],
            pass_fds=[listener.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait(20)


def ask(port: int, kind: str, die: str = "") -> tuple[int, str | None, int]:
    """Return the status, Retry-After, and the remaining number of the RateLimit header."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Die": die}
    try:
        connection.request("POST", f"/{kind}/", json.dumps({"team": kind}), headers)
        answer = connection.getresponse()
        answer.read()
        told = answer.headers["RateLimit"] or ""
        left = min(int(part.partition(";")[0]) for part in told.split("r=")[1:])
        return answer.status, answer.headers["Retry-After"], left
    except (RemoteDisconnected, ConnectionResetError):
        return 0, None, 0
    finally:
        connection.close()


@pytest.mark.parametrize("kind", NUMBERS)
def test_as_many_writes_as_the_limit_says(port: int, kind: str) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(port, kind), range(80)))
    assert Counter(answer[0] for answer in answers) == {201: NUMBERS[kind], 429: 80 - NUMBERS[kind]}
    assert Membership.objects.count() == NUMBERS[kind]
    assert all((wait is not None) == (status == 429) for status, wait, _ in answers)
    assert min(left for _, _, left in answers) < 8


@pytest.mark.parametrize("kind", ["several", "levels"])
def test_a_process_that_dies_lifts_no_limit(port: int, kind: str) -> None:
    dying = [ask(port, kind, "before the write")[0] for _ in range(3)]
    with ThreadPoolExecutor(16) as pool:
        answers = Counter(pool.map(lambda _: ask(port, kind)[0], range(60)))
    # What was counted stays counted, and nothing was written for it.
    assert dying == [0, 0, 0]
    assert answers == {201: NUMBERS[kind] - 3, 429: 63 - NUMBERS[kind]}
    assert Membership.objects.count() == NUMBERS[kind] - 3
