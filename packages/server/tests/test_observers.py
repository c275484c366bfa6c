"""What observers of other packages see of a service on lintel: all that they see without it."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from servers import Redis, everything_in

PROGRAM = Path(__file__).with_name("observers_process.py")
NEW = json.dumps({"username": "bob"})

Span = dict[str, Any]


def seen(requests: Sequence[str | tuple[str, str, str]], **given: Any) -> list[dict[str, Any]]:
    """The statuses of requests to a new process, and what its observers saw of each."""
    asked = [(it, "GET", "") if isinstance(it, str) else it for it in requests]
    done = subprocess.run(
        [sys.executable, PROGRAM, json.dumps(given)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def database_of(alias: str) -> dict[str, Any]:
    known = ("ENGINE", "NAME", "USER", "HOST", "PORT", "OPTIONS")
    return {"default": {each: connections.settings[alias][each] for each in known}}


def shape(spans: list[Span]) -> list[tuple[str, str, str]]:
    """Names and kinds of spans, with the name of the span around each."""
    names = {span["id"]: span["name"] for span in spans}
    return [(span["name"], span["kind"], names.get(span["parent"], "")) for span in spans]


@pytest.mark.parametrize("entry", ["django", "lintel"])
def test_instrumentation_sees_every_statement(
    entry: str, postgresql: str, redis_server: Redis, django_db_blocker: Any
) -> None:
    requests = [*["/users/"] * 3, ("/users/", "POST", NEW), "/plain/"]
    given = {
        "DATABASES": database_of(postgresql),
        "CACHES": {"default": redis_server.settings},
        "observer": "instrumentation",
        "entry": entry,
    }
    views = []
    for shortcuts in (True, False):
        with everything_in(postgresql, django_db_blocker, User):
            views.append(seen(requests, shortcuts=shortcuts, **given))
    by_fast_ways, by_plain_ways = views
    assert [it["status"] for it in by_fast_ways] == [200, 200, 200, 201, 200]
    assert [sql(it["seen"]) for it in by_fast_ways] == [sql(it["seen"]) for it in by_plain_ways]
    *lists, created, plain = [it["seen"] for it in by_fast_ways]
    # The SQL of the third list is kept, and its span is that of the first.
    for spans in lists:
        assert sql(spans) == [("SELECT", "CLIENT", "GET ^users/$")]
        assert spans[-1]["attributes"]["http.route"] == "^users/$"
    texts = [statements(spans) for spans in lists]
    assert texts[0] == texts[1] == texts[2]
    assert 'FROM "auth_user"' in texts[2][0]
    assert ("INSERT", "CLIENT", "POST ^users/$") in sql(created)
    assert sql(plain) == [("SELECT", "CLIENT", "GET plain/")]
    # Throttles count in Redis: by scripts, or by single commands.
    assert ("EVALSHA", "CLIENT", "GET ^users/$") in shape(lists[2])
    assert ("SET", "CLIENT", "GET ^users/$") in shape(by_plain_ways[2]["seen"])
    assert ("GET", "CLIENT", "GET plain/") in shape(plain)


def sql(spans: list[Span]) -> list[tuple[str, str, str]]:
    """The shape of what went to PostgreSQL."""
    systems = {span["id"]: span["attributes"].get("db.system") for span in spans}
    kept = [span for span in spans if systems[span["id"]] == "postgresql"]
    names = {span["id"]: span["name"] for span in spans}
    return [(span["name"], span["kind"], names[span["parent"]]) for span in kept]


def statements(spans: list[Span]) -> list[str]:
    found = [span["attributes"].get("db.statement") for span in spans if span["name"] == "SELECT"]
    return [str(text) for text in found]


@pytest.mark.parametrize("shortcuts", [True, False])
def test_sentry_names_routes_and_shows_generated_lines(
    shortcuts: bool, postgresql: str, django_db_blocker: Any
) -> None:
    with everything_in(postgresql, django_db_blocker, User):
        with django_db_blocker.unblock():
            user = User.objects.using(postgresql).create(username="ada")
        given = {"DATABASES": database_of(postgresql), "observer": "sentry", "entry": "django"}
        given["CACHES"] = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
        requests = ["/users/", f"/broken/{user.pk}/"]
        listed, broken = seen(requests, shortcuts=shortcuts, **given)
    assert [it["status"] for it in (listed, broken)] == [200, 500]
    (transaction,) = listed["seen"]
    assert transaction["transaction"] == "/users/"
    assert transaction["transaction_info"]["source"] == "route"
    assert [it["op"] for it in transaction["spans"]].count("db") >= 1
    error = next(event for event in broken["seen"] if event.get("exception"))
    assert error["transaction"] == "/broken/{pk}/"
    frames = error["exception"]["values"][-1]["stacktrace"]["frames"]
    assert frames[-1]["context_line"].strip() == 'raise ValueError("it broke")'
    generated = [it for it in frames if it["filename"].startswith("<lintel reading")]
    assert bool(generated) is shortcuts
    for frame in generated:
        assert frame["context_line"].strip() == "length = instance.length"
        assert (frame["function"], "BrokenSerializer" in frame["module"]) == ("read", True)
