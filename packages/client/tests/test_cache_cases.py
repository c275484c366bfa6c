"""The exchanges of tests/data/cache_cases.json, which every client of the repository reads."""

import json
from pathlib import Path

import pytest

from lintel_client import Cache, Headers, Request, Response
from lintel_client.caching import cache as caching

DATA = json.loads(
    (Path(__file__).parents[3] / "tests" / "data" / "cache_cases.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: case["id"])
@pytest.mark.parametrize("kind", ["memory", "folder"])
def test_exchanges_that_are_the_same_in_every_client(case, kind, tmp_path, monkeypatch):
    cache = Cache() if kind == "memory" else Cache(tmp_path / "cache")
    for step in case["steps"]:
        clock = _Clock(DATA["start"] + step["at"])
        monkeypatch.setattr(caching, "time", clock)
        server = _Server(step, clock)
        request = Request(step["method"], step["url"], Headers(step.get("headers", {})))
        response = cache.send(request, server)
        body = response.read(1000).decode()
        assert not server.answers, f"asked for less at {step['at']} s"
        assert (response.status, body) == (step["result"]["status"], step["result"]["body"])
        for name, value in step["result"].get("headers", {}).items():
            assert response.headers.get(name) == value


class _Clock:
    """A clock that only the test moves."""

    def __init__(self, now):
        self.now = now

    def time(self):
        return self.now


class _Server:
    """Gives the answers of a step, each after the time that it takes."""

    def __init__(self, step, clock):
        self.answers = list(step["answers"])
        self._sent = list(step.get("sent", []))
        self._took = step.get("took", 0)
        self._clock = clock

    def __call__(self, request):
        assert self.answers, f"asked for more: {request.headers}"
        for name, value in (self._sent.pop(0) if self._sent else {}).items():
            assert request.headers.get(name) == value
        self._clock.now += self._took
        answer = self.answers.pop(0)
        body = [answer["body"].encode()]
        return Response(answer["status"], Headers(answer["headers"]), body, request.url, "")
