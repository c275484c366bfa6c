"""CRUD with nested relations, object permissions and filters on the event loop, and around it."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import async_service
import async_views
import httpx2
import pytest
from contract_project.models import Snippet, Tag
from django.contrib.auth.models import User
from django.test import override_settings

from lintel.authtoken.models import Token
from lintel.cycle import steps
from lintel.request import WrappedAttributeError
from lintel.test import APIClient, AsyncAPIClient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("async_views")]

SERVICE = Path(async_service.__file__)


@pytest.fixture(autouse=True)
def users() -> dict[str, str]:
    """The tokens of two users, of whom one owns two snippets."""
    async_views.calls.clear()
    tokens = {}
    for name in ("alice", "bob"):
        user = User.objects.create(username=name)
        tokens[name] = Token.objects.create(user=user).key
    for code in ("print(1)", "print(2)"):
        snippet = Snippet.objects.create(code=code, owner=User.objects.get(username="alice"))
        snippet.tags.add(Tag.objects.get_or_create(name="red")[0])
    return tokens


class Sent:
    """The answer to one request under ASGI, with the threads that it took."""

    def __init__(self, response: Any, loop_thread: int, visits: int) -> None:
        self.response = response
        self.status = response.status_code
        is_json = response.headers.get("Content-Type") == "application/json"
        self.body = json.loads(response.content) if is_json else None
        self.elsewhere = [name for name, each in async_views.calls if each != loop_thread]
        self.visits = visits


@pytest.fixture
def send(monkeypatch: pytest.MonkeyPatch, users: dict[str, str]) -> Any:
    """Sends one request on an event loop of its own, and counts visits to threads."""
    visits = []
    own = steps.sync_to_async

    def counted(*args: Any, **kwargs: Any) -> Any:
        visits.append(args[0])
        return own(*args, **kwargs)

    monkeypatch.setattr(steps, "sync_to_async", counted)

    def run(method: str, url: str, data: Any = None, user: str | None = "alice") -> Sent:
        visits.clear()
        async_views.calls.clear()

        async def main() -> tuple[Any, int]:
            client = AsyncAPIClient()
            if user:
                client.credentials(HTTP_AUTHORIZATION=f"Token {users[user]}")
            named = {} if data is None else {"data": data, "format": "json"}
            return await getattr(client, method)(url, **named), threading.get_ident()

        response, loop_thread = asyncio.run(main())
        return Sent(response, loop_thread, len(visits))

    return run


def names() -> list[str]:
    return [name for name, _thread in async_views.calls]


kinds = pytest.mark.parametrize("kind", async_views.KINDS)


@kinds
def test_the_life_of_a_row(kind: str, send: Any) -> None:
    new = {"title": "t", "code": "x = 1", "tags": [{"name": "red"}, {"name": "new"}]}
    made = send("post", f"/{kind}/", new)
    assert made.status == 201
    assert (made.body["owner"], len(made.body["tags"])) == ("alice", 2)
    url = f"/{kind}/{made.body['id']}/"
    assert send("get", url).body == made.body
    assert send("put", url, {"code": "x = 2", "tags": []}).body["tags"] == []
    assert send("patch", url, {"title": "u"}).body["code"] == "x = 2"
    assert send("options", url).status == 200
    assert send("delete", url).status == 204
    assert send("get", url).status == 404


@kinds
def test_lists_are_filtered_sorted_and_cut(kind: str, send: Any) -> None:
    hidden = Snippet.objects.create(code="print(3)", owner=User.objects.get(username="bob"))
    hidden.tags.add(Tag.objects.create(name="hidden"))
    page = send("get", f"/{kind}/").body
    assert (page["count"], page["next"]) == (2, None)
    assert page["results"][0]["tags"] == [
        {"id": page["results"][0]["tags"][0]["id"], "name": "red"}
    ]
    assert send("get", f"/{kind}/?search=print(2)").body["count"] == 1
    assert send("get", f"/{kind}/?ordering=-title").status == 200
    assert send("get", f"/{kind}/{hidden.pk}/").status == 404


@kinds
def test_objects_are_those_of_their_owners(kind: str, send: Any) -> None:
    url = f"/{kind}/{Snippet.objects.first().pk}/"
    assert send("get", url, user="bob").status == 200
    for method in ("put", "patch", "delete"):
        assert send(method, url, {"code": "x"}, user="bob").status == 403
    assert send("get", url, user=None).status == 401
    assert Snippet.objects.filter(code="x").count() == 0


@kinds
def test_bad_input_is_an_error_of_the_input(kind: str, send: Any) -> None:
    assert send("post", f"/{kind}/", {"tags": [{"name": "n" * 99}]}).body.keys() == {"code", "tags"}
    assert send("get", f"/{kind}/?page=9").status == 404
    assert send("get", f"/{kind}/{10**30}/").status == 404


@kinds
def test_the_same_under_wsgi(kind: str, users: dict[str, str]) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {users['alice']}")
    made = client.post(f"/{kind}/", {"code": "x", "tags": [{"name": "red"}]}, format="json")
    assert made.status_code == 201
    url = f"/{kind}/{made.json()['id']}/"
    assert client.get(f"/{kind}/").json()["count"] == 3
    assert client.patch(url, {"code": "y"}, format="json").json()["code"] == "y"
    assert client.get(f"{url}shouted/").json() == {"code": "Y"}
    assert client.delete(url).status_code == 204


@kinds
def test_an_extra_action_asks_for_the_object(kind: str, send: Any) -> None:
    url = f"/{kind}/{Snippet.objects.first().pk}/shouted/"
    assert send("get", url).body == {"code": "PRINT(1)"}
    assert "has_object_permission" in names()


@pytest.mark.parametrize("format_name", ["api", "admin"])
@pytest.mark.parametrize("method", ["get", "post", "put", "options", "delete"])
def test_pages_of_async_views(format_name: str, method: str, send: Any) -> None:
    pk = Snippet.objects.first().pk
    rest = "" if method == "post" else f"{pk}/"
    data = {"title": "no code"} if method in ("post", "put") else None
    response = send(method, f"/browsable/{rest}?format={format_name}", data).response
    expected = {"post": 400, "put": 400, "delete": 303 if format_name == "admin" else 200}
    assert response.status_code == expected.get(method, 200)
    assert response["Content-Type"].startswith("text/html")
    assert b"This field is required." in response.content or data is None
    listed = send("get", f"/browsable/?format={format_name}&search=print").response
    assert (listed.status_code, b"print(2)" in listed.content) == (200, True)


# Threads


def test_checks_that_are_all_async_leave_the_loop_for_nothing(send: Any) -> None:
    sent = send("get", "/all-async/")
    assert sent.status == 200
    assert sent.elsewhere == []
    # one visit to read the rows: search and ordering ask no database
    assert sent.visits == 1
    assert send("get", "/all-async/?search=print&ordering=-title").visits == 1


def test_sync_checks_take_one_visit_and_the_action_another(send: Any) -> None:
    sent = send("get", f"/async/{Snippet.objects.first().pk}/")
    checks = ["authenticate", "has_permission", "allow_request"]
    assert sent.elsewhere == [*checks, "filter_queryset", "has_object_permission"]
    assert sent.visits == 2
    assert send("post", "/async/", {"code": "x"}).visits == 2
    assert send("get", "/async/").visits == 2


def test_neighbours_of_different_kinds_keep_their_order(send: Any) -> None:
    assert send("get", f"/mixed/{Snippet.objects.first().pk}/").status == 200
    assert names() == [
        *("authenticate", "has_permission", "has_permission", "allow_request", "allow_request"),
        *("filter_queryset", "filter_queryset"),
        *("has_object_permission", "has_object_permission"),
    ]


def test_a_handler_without_rows_leaves_the_loop_for_nothing(send: Any) -> None:
    sent = send("get", "/checked/")
    assert (sent.status, sent.visits, sent.elsewhere) == (200, 0, [])
    assert names() == ["authenticate", "has_permission", "allow_request"]


@pytest.mark.parametrize(
    ("handler", "elsewhere"),
    [("recording_handler", ["exception_handler"]), ("async_handler", [])],
)
def test_an_exception_handler_may_ask_the_database(
    handler: str, elsewhere: list[str], send: Any
) -> None:
    with override_settings(REST_FRAMEWORK={"EXCEPTION_HANDLER": f"async_views.{handler}"}):
        sent = send("get", "/failing/broken/")
    assert (sent.status, sent.body) == (400, {"detail": "broken"})
    assert sent.elsewhere == elsewhere
    assert Tag.objects.filter(name="failed").exists()


def test_errors_take_no_thread(send: Any) -> None:
    sent = send("get", "/failing/missing/")
    assert (sent.status, sent.visits) == (404, 0)


def test_a_view_may_write_where_it_ends(send: Any) -> None:
    sent = send("get", "/audited/missing/")
    assert (sent.status, sent.elsewhere) == (404, ["finalize_response"])
    assert Tag.objects.filter(name="audited").exists()


# Who is asking


def test_late_authentication_does_not_block_the_loop(send: Any) -> None:
    assert send("get", "/late/").body == {"user": "alice", "auth": True}
    assert send("get", "/late/", user=None).body == {"user": "", "auth": False}


def test_the_late_user_is_that_of_the_api_and_not_of_the_session(users: dict[str, str]) -> None:
    async def main() -> Any:
        client = AsyncAPIClient()
        await client.aforce_login(await User.objects.aget(username="bob"))
        return await client.get("/late/", AUTHORIZATION=f"Token {users['alice']}")

    assert asyncio.run(main()).json()["user"] == "alice"


def test_an_attribute_error_of_an_authenticator_is_not_hidden(send: Any) -> None:
    with pytest.raises(WrappedAttributeError, match="no_such_attribute"):
        send("get", "/odd/")


# What lives in the context of a request


def test_language_zone_and_own_variables_survive_the_threads(send: Any) -> None:
    sent = send("get", "/context/?name=anna&zone=Asia/Tokyo&language=de")
    assert sent.body == {"name": "anna", "zone": "Asia/Tokyo", "word": "Ja"}
    assert send("get", "/context/").body == {"name": "nobody", "zone": "UTC", "word": "Yes"}


# A real server


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of uvicorn with the same views, in a process of its own."""
    database = tmp_path_factory.mktemp("service") / "database"
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        number = listening.fileno()
        command = [sys.executable, str(SERVICE), str(database), str(number)]
        process = subprocess.Popen(command, pass_fds=[number])
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            # The socket listens already: the first answer comes when the service is ready.
            httpx2.get(f"{address}/left/", timeout=60)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=20)


def together(service: str, ask: Any) -> Any:
    async def main() -> Any:
        headers = {"Authorization": f"Token {async_service.TOKEN}"}
        async with httpx2.AsyncClient(base_url=service, headers=headers, timeout=60) as client:
            return await ask(client)

    return asyncio.run(main())


@kinds
def test_requests_at_the_same_time(kind: str, service: str) -> None:
    async def life(client: Any, number: int) -> list[int]:
        new = {"code": f"x = {number}", "tags": [{"name": f"t{number % 3}"}]}
        made = await client.post(f"/{kind}/", json=new)
        url = f"/{kind}/{made.json()['id']}/"
        read, listed, changed, removed = (
            await client.get(url),
            await client.get(f"/{kind}/?search=x = {number}"),
            await client.patch(url, json={"title": "t"}),
            await client.delete(url),
        )
        assert read.json()["code"] == changed.json()["code"] == new["code"]
        return [each.status_code for each in (made, read, listed, changed, removed)]

    async def ask(client: Any) -> Any:
        return await asyncio.gather(*(life(client, number) for number in range(8)))

    assert together(service, ask) == [[201, 200, 200, 200, 204]] * 8


def test_the_context_of_one_request_is_not_that_of_another(service: str) -> None:
    cases = [("anna", "Asia/Tokyo", "de", "Ja"), ("bert", "Europe/Paris", "fr", "Oui")] * 8

    async def ask(client: Any) -> Any:
        answers = await asyncio.gather(
            *(client.get(f"/context/?name={n}&zone={z}&language={c}") for n, z, c, _ in cases)
        )
        return [answer.json() for answer in answers]

    expected = [{"name": name, "zone": zone, "word": word} for name, zone, _, word in cases]
    assert together(service, ask) == expected


def test_a_slow_request_does_not_hold_up_others(service: str) -> None:
    async def ask(client: Any) -> Any:
        slow = [asyncio.create_task(client.get("/waiting/?seconds=1")) for _ in range(5)]
        while (await client.get("/left/")).json()["now"] < 5:
            await asyncio.sleep(0.01)
        quick = await client.get("/async/")
        unanswered = [not task.done() for task in slow]
        return (
            quick.status_code,
            any(unanswered),
            [r.status_code for r in await asyncio.gather(*slow)],
        )

    assert together(service, ask) == (200, True, [200] * 5)


def test_the_work_for_a_client_that_has_left_ends(service: str) -> None:
    async def ask(client: Any) -> Any:
        before = (await client.get("/left/")).json()["left"]
        with pytest.raises(httpx2.ReadTimeout):
            await client.get("/waiting/?seconds=60", timeout=0.3)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            now = (await client.get("/left/")).json()
            if now["left"] == before + 1:
                return now["now"]
            await asyncio.sleep(0.02)
        return None

    assert together(service, ask) == 0


def test_a_stream_arrives_whole(service: str) -> None:
    async def ask(client: Any) -> Any:
        response = await client.get("/stream/")
        return response.text, response.headers["allow"]

    assert together(service, ask) == ("0\n1\n2\n3\n4\n", "GET, OPTIONS")


def test_a_chunked_body_is_read_and_bounded(service: str) -> None:
    async def pieces(size: int) -> Any:
        yield b'{"code": "'
        for _ in range(size):
            yield b"x" * 65536
        yield b'"}'

    async def ask(client: Any) -> Any:
        kind = {"Content-Type": "application/json"}
        small = await client.post("/async/", content=pieces(1), headers=kind)
        large = await client.post("/async/", content=pieces(64), headers=kind)
        await client.delete(f"/async/{small.json()['id']}/")
        return small.status_code, large.status_code

    assert together(service, ask) == (201, 400)
