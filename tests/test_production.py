"""Two application hosts behind nginx, sharing only PostgreSQL and Redis, answer as one."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
import services
from production import __main__ as command
from production import (
    clocks,
    faults,
    hosts,
    leftovers,
    load,
    pages,
    peers,
    reloads,
    sentinel,
    soak,
    stack,
    surroundings,
    texts,
    traffic,
)
from production.hosts import Host
from production.parts import Part
from production.stack import PASSWORD, Options, Stack

NAMES = ("ada", "grace", "linus")

# All tests of one process share one stack.
pytestmark = pytest.mark.xdist_group("production")


@pytest.fixture(scope="module")
def two() -> Iterator[Stack]:
    sizes: dict[str, Any] = {"hosts": 2, "processes": 2, "trips": 200, "snippets": 20}
    # Tests that run beside may keep the machine busy for longer than a limit waits for Redis.
    options = Options(**sizes, pause=1, throttle_timeout=10, limits=traffic.UNLIMITED)
    with stack.running(options) as running:
        yield running


#: The name of the server whose clock is in a file.
LATE = "clock"


@pytest.fixture(scope="module")
def beside(two: Stack) -> Iterator[dict[str, Part]]:
    """Servers beside the hosts, on their data: of each kind, and one with a clock of its own.

    They start at the same time.
    """
    clocks.put(two.folder / LATE, 0)
    own = {LATE: clocks.environment(two.folder / LATE)}
    others = replace(two, hosts=[], parts={})
    others.postgresql_folder = two.postgresql_folder
    try:
        for name in (*sorted({*stack.SERVERS} - {Options.server}), LATE):
            server = Options.server if name == LATE else name
            others.options = replace(two.options, server=server, processes=1)
            others.hosts.append(hosts.made(name, two.folder / f"{name}-host", apart=False))
            stack.start_server(others, others.hosts[-1], **own.get(name, {}))
        others.wait()
        yield {host.name: stack.server_of(others, host) for host in others.hosts}
    finally:
        others.stop()


@contextmanager
def client_beside(two: Stack, name: str) -> Iterator[httpx2.Client]:
    with two.client_of(Host(name, two.folder / f"{name}-host")) as client:
        yield client


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


def test_who_asks_at_the_socket_sees_the_checks(two: Stack) -> None:
    with httpx2.Client(
        transport=httpx2.HTTPTransport(uds=str(two.hosts[0].socket)), base_url="http://localhost"
    ) as client:
        answer = client.get("/health/ready/", headers={"X-Forwarded-Proto": "https"})
        assert answer.json()["checks"]["caches"]["status"] == "passed"
        claimed = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "unknown"}
        assert "checks" not in client.get("/health/ready/", headers=claimed).json()


@pytest.mark.parametrize("server", sorted({*stack.SERVERS} - {Options.server}))
def test_each_server_can_be_chosen(
    two: Stack, beside: dict[str, Part], ada: Token, server: str
) -> None:
    with client_beside(two, server) as client:
        made = book(client, ada, note=f"by {server}")
        assert (made.status_code, bookings(two, f"by {server}")) == (201, 1)
        assert client.get("/rides/v2/fares/").status_code == 200
        with client.stream("GET", "/rides/trips/?format=ndjson") as stream:
            assert len(list(stream.iter_lines())) == 200
    beside[server].stop()
    assert beside[server].running.returncode == 0


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_host_whose_clock_is_wrong_answers_as_the_others(
    two: Stack, beside: dict[str, Part], first: httpx2.Client, ada: Token, hours: int
) -> None:
    assert beside[LATE].runs
    clocks.put(two.folder / LATE, hours * 3600)
    with client_beside(two, LATE) as other:
        written_once_with_a_wrong_clock(two, first, other, ada, hours)
        known_with_a_wrong_clock(two, first, other)
        limited_with_a_wrong_clock(first, other, ada, hours)


def written_once_with_a_wrong_clock(
    two: Stack, first: httpx2.Client, other: httpx2.Client, ada: Token, hours: int
) -> None:
    for number, clients in enumerate([(other, first), (first, other)]):
        key = f"clock {hours} {number}"
        answers = [book(client, ada, key=key, note=key) for client in clients]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[1].headers["Idempotent-Replayed"] == "true"
        assert bookings(two, key) == 1
    with two.database() as connection:
        age = "SELECT extract(epoch FROM changed - now()) FROM rides_booking WHERE note = %s"
        (seconds,) = connection.execute(age, [f"clock {hours} 0"]).fetchone() or (0,)
    assert abs(seconds - hours * 3600) < 600, "the clock is wrong"
    path = f"/rides/bookings/{answers[0].json()['id']}/"
    tag = first.get(path, auth=ada).headers["ETag"]
    assert other.get(path, auth=ada, headers={"If-None-Match": tag}).status_code == 304
    changed = {"json": {"note": "changed"}, "auth": ada, "headers": {"If-Match": tag}}
    assert other.patch(path, **changed).status_code == 200
    assert first.patch(path, **changed).status_code == 412


def known_with_a_wrong_clock(two: Stack, first: httpx2.Client, other: httpx2.Client) -> None:
    """Tokens and sessions, of which each has a client made by one host, and cursors of both."""
    assert first.get("/receipts/", auth=Token(other, "ada")).status_code == 200
    session = {"Cookie": session_of(first)}
    assert other.get("/rides/bookings/", headers=session).status_code == 200
    for here, there in ((other, first), (first, other)):
        page = here.get("/rides/trips/").json()
        following = there.get(page["next"].partition("localhost")[2]).json()
        ids = [{row["id"] for row in each["results"]} for each in (page, following)]
        assert ids[0].isdisjoint(ids[1])
    deadline = time.monotonic() + 30
    while other.get("/health/ready/").status_code != 200:  # a busy machine is not ready at once
        assert time.monotonic() < deadline


def session_of(client: httpx2.Client) -> str:
    """The cookie of a user who has logged in; cookies of HTTPS are not kept for a socket."""
    token = client.get("/auth/login/").cookies["csrftoken"]
    form = {"username": "ada", "password": PASSWORD, "next": "/rides/bookings/"}
    secured = {"Cookie": f"csrftoken={token}", "X-CSRFToken": token, "Referer": "https://localhost"}
    answer = client.post("/auth/login/", data=form, headers=secured)
    return f"sessionid={answer.cookies['sessionid']}"


def limited_with_a_wrong_clock(
    first: httpx2.Client, other: httpx2.Client, ada: Token, hours: int
) -> None:
    """Who comes from a late clock to a right one begins a new period, once; none is longer."""
    answers = [
        client.post("/rides/bikes/3/unlock/", auth=ada)
        for client in (other, first, other, first, other, first, other, first)
    ]
    passed = [answer.status_code for answer in answers].index(429)
    assert passed == (6 if hours < 0 else 5)
    refused = answers[passed:]
    assert {answer.status_code for answer in refused} == {429}
    assert all(int(answer.headers["Retry-After"]) <= 60 for answer in refused)


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


def test_a_short_soak_leaves_nothing(two: Stack) -> None:
    plan = soak.Plan(seconds=0.8, clients=2, rate=40, samples=2)
    outcome = soak.soak(two, plan)
    assert (len(outcome.rows), outcome.wrong) == (2, [])
    assert "2 clients, at most 40 requests per second" in soak.text(plan, outcome)


def test_what_is_left_is_named(two: Stack) -> None:
    before, torn = leftovers.files(two), two.folder / "temporary" / "torn.upload"
    torn.write_bytes(b"half")
    with two.database() as connection, connection.transaction():
        connection.execute("LOCK TABLE rides_booking IN SHARE MODE")
        found = leftovers.found_now(two, before)
    torn.unlink()
    kinds = {name.partition(" ")[2] or name for name in found}
    assert kinds == {"temporary/torn.upload", "open transactions", "locks"}
    assert leftovers.left(two, before) == []
    outcome = soak.Outcome([], [load.Sizes(1, 1, 1, 1, 1)], traffic.Books(2, 1, 0), found[:1])
    assert outcome.wrong == [f"{found[0]} left", "writes: 2 acknowledged, 1 lost, 0 twice"]


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


def test_a_reload_loses_no_request(two: Stack) -> None:
    token = traffic.token_of(two)
    before = reloads.children(stack.server_of(two, two.hosts[0]))
    tally = reloads.during(two, token, reloads.reload, times=1, requests=60)
    assert not before & reloads.children(stack.server_of(two, two.hosts[0]))
    assert (tally.failures, tally.requests >= 60) == (Counter(), True)
    books = traffic.checked(two, tally)
    assert (books.acknowledged > 0, books.lost, books.twice) == (True, 0, 0)


#: Faults of tests need no more traffic around them than shows that the service answers.
Short = partial(faults.Fault, before=0.3, after=0.3)


def judged(two: Stack, fault: faults.Fault) -> faults.Report:
    """The report of a fault, after which the service has to be as it was."""
    with faults.supervising(two):
        report = faults.observed(two, traffic.token_of(two), fault)
    # A write that was under way may be told that its key is in use, and asks again.
    assert set(report.tally.failures) <= {"503", "409"}, (report.row(), report.tracebacks[-3:])
    assert report.is_sound, report.row()
    return report


def test_a_killed_database_costs_no_write(two: Stack) -> None:
    kill = partial(faults.killed, name="postgresql")
    report = judged(two, Short("PostgreSQL killed", kill, seconds=1))
    assert report.lines["lintel.outages"] > 0
    assert report.failed_checks >= {"not ready: databases"}


def test_writes_that_are_killed_before_their_commit_are_made_once(two: Stack) -> None:
    with faults.supervising(two):
        fault = Short("all killed", faults.killed_before_commit, seconds=0)
        report = faults.observed(two, traffic.token_of(two), fault)
    assert report.tally.failures, "the requests that were under way failed"
    assert report.is_sound, report.row()


def test_a_failover_of_redis_by_its_sentinel_costs_no_write(two: Stack) -> None:
    judged(two, Short("promoted by Sentinel", sentinel.failed_over, seconds=0))
    assert two.redis_socket.is_symlink()


@pytest.mark.parametrize(("default", "status"), [(faults.DEFAULT, 201), ("", 500)])
def test_old_code_beside_a_new_column_writes_whole_rows_or_none(
    two: Stack, first: httpx2.Client, ada: Token, default: str, status: int
) -> None:
    note = f"beside-{status}"
    with faults.new_column(default, two):
        assert book(first, ada, key=note, note=note).status_code == status
        assert bookings(two, note) == (status == 201)
    # The key of a write that failed is free again, and that of the other one is known.
    assert book(first, ada, key=note, note=note).status_code == 201
    assert bookings(two, note) == 1


def test_new_code_before_its_migration_works_after_it(
    two: Stack, first: httpx2.Client, ada: Token
) -> None:
    with faults.column_missing(two):
        assert first.get("/rides/bookings/", auth=ada).status_code == 500
    assert first.get("/rides/bookings/", auth=ada).status_code == 200


def test_new_code_shows_old_rows_that_it_refuses(
    two: Stack, first: httpx2.Client, ada: Token
) -> None:
    assert book(first, ada, key="old-row", note="old").status_code == 201
    with faults.old_rows(two):
        listed = first.get("/rides/bookings/", auth=ada)
        assert listed.status_code == 200
        assert "old" + "x" * 300 in listed.text


def test_full_disks_leave_no_torn_upload(two: Stack, first: httpx2.Client, ada: Token) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may have a small disk")
    files = {"photo": ("bike.png", surroundings.PICTURE, "image/png")}
    sent = {"data": {"text": "flat"}, "files": files, "auth": ada}
    # Of a bike without reports: a name that a row has is not taken for that of a torn file.
    folder = two.folder / "uploads"
    with surroundings.small_disk(folder, 200):
        assert first.post("/rides/bikes/2/reports/", **sent).status_code >= 500
        assert [path for path in folder.rglob("*") if path.is_file()] == []
    assert first.post("/rides/bikes/2/reports/", **sent).status_code == 201


def test_a_failover_costs_no_write(two: Stack) -> None:
    primary = two.parts["postgresql"].running
    judged(two, Short("the replica promoted", faults.failed_over, seconds=0.5))
    assert (primary.returncode, two.postgresql_folder.name) == (-signal.SIGKILL, "replica")


def test_reports_tell_what_is_unsound() -> None:
    report = faults.Report("a fault", traffic.Tally(Counter({"200": 3, "503": 1})))
    assert report.is_sound
    assert report.row()[1] == "1 x 503 of 4; longest 0.0 s"
    report.books = traffic.Books(acknowledged=3, lost=1, twice=0)
    assert not report.is_sound


def test_a_load_is_drawn_as_bars() -> None:
    numbers = ["1,630", "1", "6.5", "5.03", "97", "0"]
    drawn = texts_of(load.picture("by shape", load.HEAD, [["1", "1", *numbers]]))
    assert {"by shape", "1 x 1 host", "requests/s", "1,630", "5.03"} <= set(drawn)
    drawn = texts_of(load.picture("by name", load.PEERS_HEAD, [["DRF", *numbers], ["a", *numbers]]))
    assert drawn.count("DRF") == len(load.SHOWN)


def texts_of(drawn: str) -> list[str]:
    return [str(each.text) for each in ElementTree.fromstring(drawn).iter() if each.text]


def test_a_bookshop_is_served_behind_the_same_nginx() -> None:
    """By lintel alone: the peers have packages of their own, which make load installs."""
    ours = peers.SERVICES[0]
    assert ours.is_ours
    with peers.bookshop(Options(processes=1, limits=traffic.UNLIMITED)) as shop:
        with peers.served(shop, ours, Path(sys.executable)):
            found = peers.answers_of(shop)
            assert {status for status, _ in found.values()} == {200, 201}
            with traffic.asking(peers.Readers(shop), 1) as tally:
                while tally.requests < 8:
                    time.sleep(0.01)
        assert not tally.failures
        with shop.database() as connection:
            counted = connection.execute("SELECT count(*) FROM project_article").fetchone()
        assert counted == (peers.ARTICLES,)
    other = {**found, "one row": (200, {"id": 0})}
    with pytest.raises(RuntimeError, match="other answers 200 with"):
        peers.compare("other", found, other)


def test_what_grows_is_named() -> None:
    steady = load.Sizes(cpu=1, kilobytes=1000, threads=10, files=20, connections=8)
    assert soak.grown([steady] * 8) == []
    last = load.Sizes(cpu=9, kilobytes=1200, threads=10, files=90, connections=8)
    assert soak.grown([*[steady] * 7, last]) == [
        "memory from 1000 to 1200 kB",
        "files from 20 to 90",
    ]


def test_tables_stand_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- load -->\nold\n<!-- end of load -->\nafter\n")
    for _ in range(2):
        pages.put("page.md", "load", pages.table(["a"], [["1|2"]]), tmp_path)
    lines = page.read_text().splitlines()
    assert lines[:2] == ["before", "<!-- load -->"]
    assert re.fullmatch(r"[\d-]+, CPython [\d.]+, \d+ cores, load average \d+\.", lines[2])
    assert lines[3:] == ["", "| a |", "| --- |", "| 1\\|2 |", "<!-- end of load -->", "after"]
    with pytest.raises(RuntimeError, match="no place between"):
        pages.put("page.md", "soak", "", tmp_path)


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
