"""Two application hosts behind nginx, sharing only PostgreSQL and Redis, answer as one."""

import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import services
from production import __main__ as command
from production import hosts, stack, texts
from production.stack import PASSWORD, Options, Stack

NAMES = ("ada", "grace", "linus")


@pytest.fixture(scope="module")
def two() -> Iterator[Stack]:
    with stack.running(Options(hosts=2, processes=2, trips=200, snippets=20)) as running:
        yield running


@pytest.fixture
def first(two: Stack) -> Iterator[httpx2.Client]:
    """The server of the first host, asked as nginx does."""
    with two.client_of(two.hosts[0]) as client:
        yield client


@pytest.fixture
def second(two: Stack) -> Iterator[httpx2.Client]:
    with two.client_of(two.hosts[1]) as client:
        yield client


class Token(httpx2.Auth):
    """Who asks: a user, whose token the service gave."""

    def __init__(self, client: httpx2.Client, name: str) -> None:
        asked = client.post("/token/", json={"username": name, "password": PASSWORD})
        self.header = f"Token {asked.json()['token']}"

    def auth_flow(self, request: httpx2.Request) -> Iterator[httpx2.Request]:
        request.headers["Authorization"] = self.header
        yield request


@pytest.fixture(scope="module")
def users(two: Stack) -> list[Token]:
    """Three users; each test about a limit or a count takes one for itself."""
    with two.client() as client:
        return [Token(client, name) for name in NAMES]


@pytest.fixture
def ada(users: list[Token]) -> Token:
    return users[0]


@pytest.fixture
def grace(users: list[Token]) -> Token:
    return users[1]


@pytest.fixture
def linus(users: list[Token]) -> Token:
    return users[2]


def book(client: httpx2.Client, auth: Any, key: str = "", **data: Any) -> httpx2.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/rides/bookings/", json={"bike": 1, **data}, auth=auth, headers=headers)


def bookings(two: Stack, note: str) -> int:
    with two.database() as connection:
        statement = "SELECT count(*) FROM rides_booking WHERE note = %s"
        (count,) = connection.execute(statement, [note]).fetchone() or (0,)
        return int(count)


def test_nginx_asks_both_hosts(two: Stack) -> None:
    with two.client() as client:
        served = {client.get("/rides/v2/fares/").headers["X-Served-By"] for _ in range(10)}
    assert served == {f"unix:{host.socket}" for host in two.hosts}


def test_nginx_serves_static_files_and_ends_tls(two: Stack) -> None:
    with two.client() as client:
        page = client.get("/static/rest_framework/css/default.css")
        assert (page.status_code, page.headers["Content-Type"]) == (200, "text/css")
        assert "X-Served-By" not in page.headers
        # Links and redirects of the service are those of its clients.
        root = client.get("/rides/").json()
        assert root["stations"] == f"{two.url}/rides/stations/"


def test_all_hosts_are_ready(two: Stack) -> None:
    with two.client() as client:
        for _ in range(4):
            answer = client.get("/health/ready/")
            assert (answer.status_code, answer.json()["status"]) == (200, "ready")
            assert answer.json()["checks"]["caches"]["status"] == "passed"


def test_a_request_of_a_client_gets_an_id_of_the_proxy(two: Stack) -> None:
    with two.client() as client:
        claimed = client.get("/rides/v2/fares/", headers={"X-Request-ID": "mine"})
    assert claimed.headers["X-Request-ID"] != "mine"
    assert len(claimed.headers["X-Request-ID"]) == 32


def test_a_limit_is_counted_over_all_processes(two: Stack, linus: Token) -> None:
    with two.client() as client:
        answers = [client.post("/rides/bikes/1/unlock/", auth=linus) for _ in range(12)]
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [429] * 7
    assert len({answer.headers["X-Served-By"] for answer in answers}) == 2


def test_a_limit_holds_for_requests_at_the_same_time(two: Stack, grace: Token) -> None:
    statuses: list[int] = []

    def unlock() -> None:
        with two.client() as client:
            statuses.extend(
                client.post("/rides/bikes/2/unlock/", auth=grace).status_code for _ in range(3)
            )

    threads = [threading.Thread(target=unlock) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (statuses.count(200), statuses.count(429)) == (5, 19)


def test_a_repeated_write_is_answered_by_the_other_host(
    two: Stack, first: httpx2.Client, second: httpx2.Client, ada: Token
) -> None:
    made = book(first, ada, key="a-key", note="repeated")
    again = book(second, ada, key="a-key", note="repeated")
    assert (made.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.json(), bookings(two, "repeated")) == (made.json(), 1)
    assert book(second, ada, key="a-key", note="another").status_code == 422


def test_keys_at_the_same_time_write_once(two: Stack, ada: Token) -> None:
    answers: list[httpx2.Response] = []

    def write() -> None:
        with two.client() as client:
            answers.append(book(client, ada, key="at-once", note="at once"))

    threads = [threading.Thread(target=write) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bookings(two, "at once") == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1


def test_etags_of_one_host_hold_on_the_other(
    first: httpx2.Client, second: httpx2.Client, ada: Token
) -> None:
    path = f"/rides/bookings/{book(first, ada, note='tagged').json()['id']}/"
    tag = first.get(path, auth=ada).headers["ETag"]
    same = second.get(path, auth=ada, headers={"If-None-Match": tag})
    assert (same.status_code, same.headers["ETag"]) == (304, tag)
    change = {"json": {"note": "changed"}, "auth": ada, "headers": {"If-Match": tag}}
    assert second.patch(path, **change).status_code == 200
    assert first.patch(path, **change).status_code == 412


def test_counts_are_kept_for_all_hosts(
    two: Stack, first: httpx2.Client, second: httpx2.Client, grace: Token
) -> None:
    auth = grace
    count = first.get("/receipts/", auth=auth).json()["count"]
    booking = book(first, auth, note="counted").json()["id"]
    newest = wait_for_receipt(second, auth, booking)
    assert newest["results"][0]["booking"] == booking
    kept = {client.get("/receipts/", auth=auth).json()["count"] for client in (first, second)}
    # The page has seen one row more than was counted, which corrects the count.
    assert kept in ({count}, {count + 1})


def wait_for_receipt(client: httpx2.Client, auth: Any, booking: int) -> dict[str, Any]:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        page = client.get("/receipts/", auth=auth).json()
        if any(receipt["booking"] == booking for receipt in page["results"]):
            return page
        time.sleep(0.1)
    raise AssertionError(f"no receipt of booking {booking}")


def test_a_task_knows_the_request_that_wanted_it(
    first: httpx2.Client, second: httpx2.Client, linus: Token
) -> None:
    made = book(first, linus, note="receipt")
    page = wait_for_receipt(second, linus, made.json()["id"])
    written = {each["booking"]: each["request_id"] for each in page["results"]}
    assert written[made.json()["id"]] == made.headers["X-Request-ID"]


def test_tokens_hold_on_all_hosts(first: httpx2.Client, second: httpx2.Client) -> None:
    asked = {"username": "ada", "password": PASSWORD}
    token = first.post("/token/", json=asked).json()["token"]
    headers = {"Authorization": f"Token {token}"}
    assert second.get("/rides/bookings/", headers=headers).status_code == 200


def test_sessions_hold_on_all_hosts(two: Stack) -> None:
    with two.client(follow_redirects=True) as client:
        client.get("/auth/login/")
        form = {"username": "ada", "password": PASSWORD, "next": "/rides/bookings/"}
        protection = {"X-CSRFToken": client.cookies["csrftoken"], "Referer": two.url}
        client.post("/auth/login/", data=form, headers=protection)
        answers = [client.get("/rides/bookings/") for _ in range(8)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["X-Served-By"] for answer in answers}) == 2


def test_cursors_go_on_where_the_other_host_stopped(
    first: httpx2.Client, second: httpx2.Client
) -> None:
    seen: list[int] = []
    path: str | None = "/rides/trips/"
    for number in range(10):
        if path is None:
            break
        page = (first, second)[number % 2].get(path).json()
        seen += [row["id"] for row in page["results"]]
        path = page["next"] and page["next"].partition("localhost")[2]
    assert len(seen) == len(set(seen)) == 200


def test_streams_pass_nginx_whole(two: Stack) -> None:
    with two.client() as client, client.stream("GET", "/rides/trips/?format=ndjson") as stream:
        assert len(list(stream.iter_lines())) == 200
        assert "X-Accel-Buffering" not in stream.headers


def test_uploads_are_on_the_shared_volume(
    first: httpx2.Client, second: httpx2.Client, ada: Token
) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + b"0" * 1000
    files = {"photo": ("bike.png", picture, "image/png")}
    made = first.post("/rides/bikes/1/reports/", data={"text": "flat"}, files=files, auth=ada)
    assert made.status_code == 201, made.text
    path = made.json()["photo_url"].partition("localhost")[2]
    assert second.get(path).content == picture


def test_large_bodies_end_at_nginx(two: Stack, ada: Token) -> None:
    with two.client() as client:
        refused = client.post("/rides/bookings/", content=b"0" * 6_000_000, auth=ada)
    assert refused.status_code == 413


def test_hosts_are_apart(two: Stack) -> None:
    if not all(host.holder for host in two.hosts):
        pytest.skip("the kernel allows no namespaces: the folders are what is apart")
    names = [
        subprocess.run([*host.prefix, "hostname"], capture_output=True, text=True, check=True)
        for host in two.hosts
    ]
    assert [run.stdout.strip() for run in names] == ["host1", "host2"]
    links = {os.readlink(f"/proc/{host.holder.pid}/ns/net") for host in two.hosts if host.holder}
    assert len(links | {os.readlink("/proc/self/ns/net")}) == 3


def test_hosts_without_namespaces_have_folders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    host = hosts.made("host1", tmp_path / "host1", apart=True)
    assert (host.holder, host.prefix, host.socket.parent.is_dir()) == (None, [], True)


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(services, "DAEMONS", tmp_path)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert "the stack needs nginx, pgbouncer" in str(ended.value)
    assert "apt-get install redis-server" in str(ended.value)
    assert "nginx-light" in str(ended.value)


def test_unknown_servers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER", "cgi")
    with pytest.raises(SystemExit, match="choose one of wsgi, asgi, lintel, lintel-asgi"):
        command.main()


def test_what_ends_is_started_again(two: Stack, first: httpx2.Client, ada: Token) -> None:
    stopped = threading.Event()
    watch = threading.Thread(target=command.supervise, args=(two, stopped))
    watch.start()
    workers = [part for part in two.parts.values() if part.name.startswith("worker")]
    for worker in workers:
        worker.kill()
    try:
        booking = book(first, ada, note="with new workers").json()["id"]
        assert wait_for_receipt(first, ada, booking)
    finally:
        stopped.set()
        watch.join()


def test_a_stopped_stack_leaves_nothing() -> None:
    """Without a service, which the other tests stop: the data alone is enough for this."""
    folder = Path(tempfile.mkdtemp(prefix="lintel-production-"))
    folder.chmod(0o755)
    running = Stack(folder, Options(), port=1)
    (folder / "logs").mkdir()
    stack.start_redis(running)
    stack.start_postgresql(running)
    running.wait()
    processes = [part.running for part in running.parts.values()]
    running.stop()
    assert [process.returncode for process in processes] == [0, 0]
    shutil.rmtree(folder)


def test_each_number_of_nginx_can_be_chosen() -> None:
    text = texts.nginx(Path("/f"), Path("/s"), 8443, [Path("/f/a.sock")], rate=5)
    assert "rate=5r/s" in text
    assert "server unix:/f/a.sock" in text
