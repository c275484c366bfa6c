"""``manage.py demo``, and everything that the tour of the example service shows."""

import os
import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import fuzz
import httpx2
import pytest
from service_process import LINTEL, PASSWORD, SERVICE, Service, environment, free_port, manage

pytestmark = pytest.mark.xdist_group("service")

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)


def demo(database: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SERVICE / "manage.py"), "demo", *arguments],
        env=environment(database),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def secrets_in(output: str) -> list[str]:
    """The password and the token that a start printed."""
    found = re.search(r"password (\S+)\n.*\"Token (\w{40})\"", output, re.DOTALL)
    assert found, output
    return list(found.groups())


def test_every_start_prints_the_same_secrets(tmp_path: Path) -> None:
    database = tmp_path / "service.sqlite3"
    first = demo(database, "--no-serve", "--port", "8123")
    assert first.returncode == 0, first.stderr
    assert "1000 snippets, users ada, grace, linus, password" in first.stdout
    assert "http://127.0.0.1:8123/start/" in first.stdout
    assert (tmp_path / "service.credentials").stat().st_mode & 0o777 == 0o600

    port = free_port()
    command = [sys.executable, str(SERVICE / "manage.py"), "demo", "--port", str(port)]
    server = subprocess.Popen(command, env=environment(database), stdout=subprocess.PIPE, text=True)
    try:
        output = ""
        while "curl" not in output:
            output += server.stdout.readline()
        assert "1000 snippets are there already, users ada" in output
        assert secrets_in(output) == secrets_in(first.stdout)
        transport = httpx2.HTTPTransport(retries=6)
        with httpx2.Client(transport=transport, base_url=f"http://127.0.0.1:{port}") as client:
            password, token = secrets_in(output)
            assert client.get("/rides/stations/1/weather/").status_code == 200
            bookings = client.get("/rides/bookings/", headers={"Authorization": f"Token {token}"})
            assert bookings.json()["count"] == 0
            headers = {"Authorization": f"Token {token}"}
            refused = client.delete("/rides/stations/1/", headers=headers)
            assert (refused.status_code, "belong" in refused.json()["detail"]) == (409, True)
            sent = {"username": "ada", "password": password}
            assert client.post("/token/", json=sent).json() == {"token": token}
    finally:
        server.terminate()
        server.wait(timeout=20)
        server.stdout.close()


#: Runs the service with only the packages of its requirements importable.
ALONE = """
import re, sys
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

def closure(names):
    found = {"lintel-document", "django-lintel", "lintel-client", "lintel-codecs"}
    while names:
        name = re.match(r"[\\w.-]+", names.pop())[0].lower()
        if name not in found and name in here:
            found.add(name)
            needs = metadata.requires(name) or []
            names += [each for each in needs if "extra ==" not in each]
    return found

here = {each.name.lower() for each in metadata.distributions()}
lines = Path("requirements.txt").read_text().splitlines()
allowed = closure([line for line in lines if line and not line.startswith("#")])
homes = metadata.packages_distributions()

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        owners = {each.lower().replace("_", "-") for each in homes.get(name, ())}
        if path is None and owners and not owners & allowed:
            raise ModuleNotFoundError(f"{name} is not in requirements.txt", name=name)
        return None

sys.meta_path.insert(0, Finder)
sys.path.insert(0, ".")
import django
django.setup()
from django.test import Client
for address in "/ /start/ /docs/ /openapi/ /rides/docs/ /rides/schema/ /admin/login/".split():
    for accept in ("text/html,*/*;q=0.8", "application/json,*/*;q=0.8"):
        answer = Client().get(address, headers={"Accept": accept})
        assert answer.status_code == 200, (address, answer.content)
import lintel_client.cli, uvicorn
"""


def test_the_service_needs_no_more_than_its_requirements(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", ALONE],
        cwd=SERVICE,
        env=environment(tmp_path / "service.sqlite3"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_a_busy_port_is_a_clear_message(tmp_path: Path) -> None:
    database = tmp_path / "service.sqlite3"
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        run = demo(database, "--port", str(port))
    assert run.returncode == 1
    assert run.stderr.startswith(f"CommandError: port {port} of 127.0.0.1 is in use")
    # Checks of Django 6.1 connect, which makes the file.
    assert {*tmp_path.iterdir()} <= {database}
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []


@pytest.fixture(scope="module")
def rides(service: Service) -> httpx2.Client:
    """The tour, for the sample user grace."""
    manage(service.database, "loadrides", "--trips", "120")
    token = fuzz.token_of(service.url, "grace", PASSWORD)
    headers = {"Authorization": f"Token {token}"}
    with httpx2.Client(base_url=f"{service.url}rides/", headers=headers) as client:
        yield client


def results(client: httpx2.Client, address: str) -> list[dict[str, Any]]:
    return client.get(address).raise_for_status().json()["results"]


def test_lists_are_searched_filtered_and_ordered(rides: httpx2.Client) -> None:
    bridges = results(rides, "stations/?search=bridge&ordering=-docks")
    assert [row["name"].partition(" Bridge")[1] for row in bridges] == [" Bridge"] * 4
    docks = [row["docks"] for row in bridges]
    assert docks == sorted(docks, reverse=True)
    assert {row["district"] for row in results(rides, "stations/?district=Harbour")} == {"Harbour"}
    assert rides.get("bikes/?station=none").status_code == 400


def test_the_three_styles_of_pages_hold_every_row_once(rides: httpx2.Client) -> None:
    for address, expected in (("stations/", 40), ("bikes/?limit=100", 300), ("trips/", 120)):
        seen: list[int] = []
        following: str | None = address
        while following:
            page = rides.get(following).json()
            seen += [row["id"] for row in page["results"]]
            following = page["next"]
        assert len(seen) == len(set(seen)) == expected
    forged = rides.get("trips/?cursor=cD0yMDI2LTA2LTMw")
    assert (forged.status_code, forged.json()) == (404, {"detail": "Invalid cursor"})


def test_reports_belong_to_a_bike_and_carry_a_photo(rides: httpx2.Client) -> None:
    sent = {"data": {"text": "Flat tyre"}, "files": {"photo": ("../a.png", PICTURE)}}
    made = rides.post("bikes/1/reports/", **sent)
    assert made.status_code == 201, made.text
    assert made.json()["reporter"] == "grace"
    photo = rides.get(made.json()["photo_url"])
    assert photo.content == PICTURE
    assert photo.headers["content-disposition"].startswith("attachment")
    assert results(rides, "bikes/2/reports/") == []
    page = {"photo": ("a.png", b"<script>alert(1)</script>")}
    refused = rides.post("bikes/1/reports/", data={"text": "x"}, files=page)
    assert refused.json() == {"photo": ["Send a .png or .jpg picture."]}
    assert rides.delete(f"bikes/1/reports/{made.json()['id']}/").status_code == 204
    assert rides.get(made.json()["photo_url"]).status_code == 404


def test_a_lock_opens_five_times_per_minute(rides: httpx2.Client) -> None:
    answers = [rides.post("bikes/1/unlock/") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) <= 60
    assert answers[0].headers["ratelimit"].startswith('"unlock";r=4')


def test_a_booking_is_made_once_and_changed_by_those_who_have_seen_it(rides: httpx2.Client) -> None:
    key = {"Idempotency-Key": "0f5c1f3e"}
    first, second = (rides.post("bookings/", json={"bike": 1}, headers=key) for _ in range(2))
    assert (first.status_code, second.headers["idempotent-replayed"]) == (201, "true")
    assert second.json() == first.json()
    assert rides.get("bookings/").json()["count"] == 1
    address = f"bookings/{first.json()['id']}/"
    tag = {"If-Match": rides.get(address).headers["etag"]}
    note = {"note": "after lunch"}
    assert rides.patch(address, json=note).status_code == 428
    statuses = [rides.patch(address, json=note, headers=tag).status_code for _ in range(2)]
    assert statuses == [200, 412]


def test_the_trips_are_streamed(rides: httpx2.Client) -> None:
    with rides.stream("GET", "trips/?format=ndjson") as answer:
        lines = list(answer.iter_lines())
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert len(lines) == 120


def test_versions_differ_and_the_old_one_goes_away(rides: httpx2.Client) -> None:
    first, second = rides.get("v1/fares/"), rides.get("v2/fares/")
    assert first.json()[0] == {"kind": "city", "price": "1.50"}
    assert second.json()[0]["price"] == {"amount": "1.50", "currency": "EUR"}
    assert {"deprecation", "sunset"} <= set(first.headers)
    assert "sunset" not in second.headers


def test_the_async_endpoint_asks_its_sensors_together(rides: httpx2.Client) -> None:
    answer = rides.get("stations/1/weather/")
    assert answer.json().keys() == {"station", "celsius", "wind", "rain"}
    assert rides.get("stations/999/weather/").status_code == 404


def test_the_commands_of_the_tour_run(
    rides: httpx2.Client, service: Service, tmp_path: Path
) -> None:
    """Run those that need no password; bash stops at the first failure."""
    page = httpx2.get(f"{service.url}start/", headers={"Accept": "text/html"}).text
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    lines = "\n".join(unescape(block) for block in blocks).splitlines()
    open_to_all = [line for line in lines if not re.search("login|password|-u ada", line)]
    assert [line.split()[0] for line in open_to_all].count("lintel") == 4
    names = {"LINTEL_CONFIG_DIR": str(tmp_path), "PATH": f"{LINTEL.parent}:{os.environ['PATH']}"}
    script = "\n".join(["set -e", *open_to_all]).replace("curl", "curl -sS --fail")
    run = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, **names},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Bridge" in run.stdout


def test_staff_alone_change_stations(rides: httpx2.Client) -> None:
    assert rides.post("stations/", json={"name": "x"}).status_code == 403


def test_pages_and_descriptions_are_there(rides: httpx2.Client, service: Service) -> None:
    html = {"Accept": "text/html,*/*;q=0.8"}
    page = httpx2.get(f"{service.url}start/", headers=html)
    local = re.findall(r'href="(/[^"#]*)"', page.text)
    assert len(local) >= 20
    for address in {*local, "/favicon.ico", "/admin/", "/rides/schema/3.2/?format=openapi-json"}:
        url = f"{service.url}{address[1:].replace('&amp;', '&')}"
        answer = httpx2.get(url, headers=html, follow_redirects=True)
        # Locks and bookings are for those who have logged in.
        is_private = "unlock" in address or "bookings" in address
        assert answer.status_code == (401 if is_private else 200), address
    assert "/start/" in httpx2.get(service.url, headers=html).text
    version = rides.get("schema/3.2/?format=openapi-json").json()["openapi"]
    assert version == "3.2.0"
