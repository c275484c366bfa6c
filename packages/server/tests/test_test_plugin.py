"""The pytest plugin: a project whose schema is wrong in every way that exchanges can reveal."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from django.test import AsyncClient, Client, override_settings
from django.urls import path

from lintel.decorators import action
from lintel.response import Response
from lintel.routers import SimpleRouter
from lintel.schemas import extend_schema, extend_schema_view
from lintel.schemas.generators import EndpointEnumerator
from lintel.schemas.openapi import SchemaGenerator
from lintel.test import APIClient, RequestsClient, listening
from lintel.test.recorder import Recorder
from lintel.views import APIView
from lintel.viewsets import ViewSet
from lintel_contract.testing import exchanges
from lintel_contract.testing.exchanges import Exchange


class Echo(APIView):
    authentication_classes = []

    def post(self, request: Any) -> Response:
        return Response(request.data)


@extend_schema_view(create=extend_schema(exclude=True))
class Partly(ViewSet):
    def list(self, request: Any) -> Response:
        return Response([])

    def create(self, request: Any) -> Response:
        return Response(status=201)

    @extend_schema(exclude=True)
    @action(detail=False)
    def hidden(self, request: Any) -> Response:
        return Response()

    @action(detail=False, schema=None)
    def silent(self, request: Any) -> Response:
        return Response()

    @action(detail=False)
    def shown(self, request: Any) -> Response:
        return Response()


@extend_schema(exclude=True)
class Hidden(Echo):
    def get(self, request: Any) -> Response:
        return Response()


partly = SimpleRouter()
partly.register("partly", Partly, basename="partly")
urlpatterns = [
    path("echo/", Echo.as_view()),
    path("hidden/", Hidden.as_view()),
    path("unlisted/", Echo.as_view(schema=None)),
    *partly.urls,
]


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Exchange]]:
    """The exchanges of the clients of ``lintel.test``."""
    heard: list[Exchange] = []
    # The plugin may listen to this run.
    monkeypatch.setattr(exchanges, "observers", [heard.append])
    stop = listening.listen(django_clients=False)
    yield heard
    stop()


@pytest.mark.parametrize(
    ("query", "name", "noted"),
    [
        ("format=json", "format", []),
        ("a=1&format=json", "format", ["a: not described"]),
        ("format=json", None, ["format: not described"]),
    ],
)
def test_any_view_may_be_asked_for_its_format(
    recorder: Recorder, query: str, name: str | None, noted: list[str]
) -> None:
    recorder.describe = lambda: {
        "openapi": "3.1.0",
        "paths": {"/echo/": {"post": {"responses": {"200": {}}}}},
    }
    with override_settings(ROOT_URLCONF=__name__, REST_FRAMEWORK={"URL_FORMAT_OVERRIDE": name}):
        APIClient().post(f"/echo/?{query}", {"b": 1}, format="json")
    assert [row[2] for row in rows(recorder) if row[1] == "parameter"] == noted


@override_settings(ROOT_URLCONF=__name__)
def test_listening_leaves_the_request_readable(heard: list[Exchange]) -> None:
    response = APIClient().post("/echo/?a=1", {"b": [1]}, format="json")
    assert response.json() == {"b": [1]}
    (made,) = heard
    assert (made.method, made.path, made.query, made.status) == ("POST", "/echo/", "a=1", 200)
    assert (made.request_body, made.response_body) == (b'{"b":[1]}', b'{"b":[1]}')
    assert made.request_headers["content-type"] == "application/json"
    assert made.response_headers["content-type"] == "application/json"


@pytest.mark.parametrize("address", ["/caf\u00e9/", "/caf%C3%A9/"])
@pytest.mark.parametrize("make", [APIClient, RequestsClient])
def test_paths_have_the_letters_that_were_sent(
    heard: list[Exchange], make: Any, address: str
) -> None:
    make().get(f"http://testserver{address}" if make is RequestsClient else address)
    assert [made.path for made in heard] == ["/caf\u00e9/"]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    """A recorder that listens to the clients, with a description in which nothing answers."""
    content = {"openapi": "3.1.0", "paths": {"/echo/": {"post": {"responses": {"4XX": {}}}}}}
    recorder = Recorder(lambda: content, [])
    monkeypatch.setattr(exchanges, "observers", [recorder.observe])
    stop = recorder.listen()
    with override_settings(ROOT_URLCONF=__name__):
        yield recorder
    stop()


def rows(recorder: Recorder) -> list[tuple[str, str, str]]:
    return [row[:3] for row in recorder.ledger.departures]


def test_pages_for_people_and_refusals_are_left_out(recorder: Recorder) -> None:
    client = APIClient()
    page = client.post("/echo/", {}, format="json", HTTP_ACCEPT="text/html")
    assert (page.status_code, page["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert client.put("/echo/").status_code == 405
    assert rows(recorder) == []
    client.post("/echo/", {}, format="json")
    assert ("POST /echo/", "status", "200") in rows(recorder)


def test_operations_that_are_excluded_from_the_schema_are_left_out(recorder: Recorder) -> None:
    client = APIClient()
    for address in ("/hidden/", "/partly/hidden/", "/partly/silent/"):
        assert client.get(address).status_code == client.head(address).status_code == 200
    for address in ("/hidden/", "/partly/", "/unlisted/"):
        assert client.post(address, {}, format="json").status_code in (200, 201)
    assert rows(recorder) == []
    for address in ("/partly/", "/partly/shown/"):
        client.get(address)
    assert rows(recorder) == [
        ("GET /partly/", "operation", "200"),
        ("GET /partly/shown/", "operation", "200"),
    ]


class WithoutEcho(EndpointEnumerator):
    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return "echo" not in path and super().should_include_endpoint(path, callback)


class OwnRules(SchemaGenerator):
    endpoint_inspector_cls = WithoutEcho
    openapi_version = "3.1.1"

    def has_view_permissions(self, path: str, method: str, view: Any) -> bool:
        return path != "/partly/shown/" and bool(super().has_view_permissions(path, method, view))

    def get_schema(self, request: Any = None, public: bool = False) -> Any:
        document = super().get_schema(request, public)
        del document["paths"]["/partly/"]  # by accident
        return document


@override_settings(ROOT_URLCONF=__name__)
def test_the_rules_of_a_generator_say_what_the_schema_leaves_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder, client = Recorder(OwnRules, []), APIClient()
    monkeypatch.setattr(exchanges, "observers", [recorder.observe])
    stop = recorder.listen()
    client.post("/echo/", {}, format="json")
    client.get("/partly/shown/")
    client.get("/partly/")
    stop()
    assert rows(recorder) == [("GET /partly/", "operation", "200")]


def test_a_description_is_made_once_for_urls_and_settings(recorder: Recorder) -> None:
    client, counts = APIClient(), []
    for size in (1, 2, 1):
        client.post("/echo/", {}, format="json")
        with override_settings(FILE_UPLOAD_MAX_MEMORY_SIZE=size):
            client.post("/echo/", {}, format="json")
        client.post("/echo/", {}, format="json")
        counts.append(len(recorder.made))
    assert counts == [2, 3, 3]


def test_clients_of_django_are_heard_where_that_is_wanted(recorder: Recorder) -> None:
    def sent() -> int:
        Client().post("/echo/", {"a": [1]}, content_type="application/json")
        asyncio.run(AsyncClient().post("/echo/"))
        APIClient().post("/echo/", {}, format="json")
        return recorder.ledger.exchanges

    assert sent() == 1
    stop = listening.listen(django_clients=True)
    assert sent() == 4
    stop()
    assert sent() == 5


PROJECT = {
    "settings.py": """
        SECRET_KEY = "x"
        ROOT_URLCONF = "urls"
        ALLOWED_HOSTS = ["*"]
        REST_FRAMEWORK = {"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None}
        """,
    "urls.py": """
        from django.urls import path
        from lintel.response import Response
        from lintel.views import APIView

        class Things(APIView):
            def get(self, request, pk):
                status = int(request.query_params.get("status", 200))
                return Response({"id": str(pk)}, status=status)

        urlpatterns = [path("things/<int:pk>/", Things.as_view())]
        """,
    "test_things.py": """
        import asyncio
        from lintel.test import APIClient, AsyncAPIClient, RequestsClient

        def test_sync():
            assert APIClient().get("/things/1/").status_code == 200

        def test_async():
            assert asyncio.run(AsyncAPIClient().get("/things/1/")).status_code == 200

        def test_client_of_django(client):
            assert client.get("/things/1/").status_code == 200

        def test_requests():
            url = "http://testserver/things/1/?status=418"
            assert RequestsClient().get(url).status_code == 418
        """,
    "schema.yml": """
        openapi: 3.1.0
        paths:
          /things/{id}/:
            get:
              responses:
                200:
                  content:
                    application/json:
                      schema: {properties: {id: {type: integer}}}
        """,
    "known.toml": """
        [[departure]]
        operation = "GET /things/{id}/"
        kind = "body"
        reason = "Identifiers travel as text since the first version."
        """,
    "pytest.ini": """
        [pytest]
        DJANGO_SETTINGS_MODULE = settings
        django_find_project = false
        lintel_schema = schema.yml
        """,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with tests, in a folder of its own."""
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(dedent(text).lstrip())
    return tmp_path


def run(project: Path, *arguments: str) -> tuple[int, str]:
    plugins = ["-p", "pytest_django.plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *arguments]
    paths = [str(project), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        # Plugins of other tests take longer to start than these runs.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    ended = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120
    )
    return ended.returncode, ended.stdout + ended.stderr


PLUGIN = ("-p", "lintel.test.plugin")


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_unknown_departures_fail_the_run(project: Path, workers: tuple[str, ...]) -> None:
    status, output = run(project, *PLUGIN, *workers, "--lintel-report", "report.json")
    assert status == 1
    assert "4 passed" in output
    assert "2 exchanges; 1 of 1 operations" not in output
    assert "3 exchanges; 1 of 1 operations and 1 of 1 described responses exercised" in output
    assert 'GET /things/{id}/: body 200 application/json /id: type "integer"' in output
    assert "GET /things/{id}/: status 418" in output
    assert "first in test_things.py::test_requests" in output
    assert json.loads((project / "report.json").read_text())["exchanges"] == 3


def test_known_departures_do_not(project: Path) -> None:
    arguments = ("--lintel-departures", "known.toml", "-k", "not requests")
    status, output = run(project, *PLUGIN, *arguments)
    assert status == 0
    assert "0 departures, 1 more known" in output
    status, output = run(project, *PLUGIN, "--lintel-departures", "known.toml", "-k", "requests")
    assert (status, "1 known departures were not seen" in output) == (1, True)


def test_without_a_file_the_generator_of_the_project_is_asked(project: Path) -> None:
    status, output = run(project, *PLUGIN, "--lintel-schema=", "-o", "lintel_schema=")
    assert "of 1 operations" in output
    assert status == 1


def test_the_client_of_django_is_heard_where_that_is_wanted(project: Path) -> None:
    status, output = run(project, *PLUGIN, "--lintel-django-clients")
    assert (status, "4 exchanges; 1 of 1 operations" in output) == (1, True)


@pytest.mark.parametrize("more", [(), ("-q",), ("-qq",), ("-n", "1")], ids=str)
def test_a_run_that_hears_nothing_says_so(project: Path, more: tuple[str, ...]) -> None:
    status, output = run(project, *PLUGIN, "-k", "of_django", *more)
    (line,) = [line for line in output.splitlines() if "exchanges" in line]
    assert line.startswith("0 exchanges checked against the OpenAPI schema. Use ")
    assert "--lintel-django-clients" in line
    assert status == 0


def test_a_run_that_hears_nothing_names_no_option_that_is_set(project: Path) -> None:
    _, output = run(project, *PLUGIN, "--lintel-django-clients", "-k", "nothing_is_sent")
    assert "0 exchanges checked against the OpenAPI schema.\n" in output
    _, output = run(project, *PLUGIN, "--collect-only")
    assert "0 exchanges" not in output


def test_it_is_off_unless_it_is_named(project: Path) -> None:
    status, output = run(project, "-o", "lintel_schema=")
    assert (status, "OpenAPI" in output) == (0, False)


def test_a_wrong_option_ends_the_run_with_its_reason(project: Path) -> None:
    status, output = run(project, *PLUGIN, "--lintel-departures", "missing.toml")
    assert (status, "missing.toml cannot be read" in output) == (4, True)
    status, output = run(project, *PLUGIN, "--lintel-schema", "no.such.function")
    assert (status, "No module named 'no'" in output) == (4, True)


def test_a_missing_distribution_is_named_with_its_extra(project: Path) -> None:
    (project / "lintel_contract.py").write_text("raise ImportError('no lintel_contract')")
    status, output = run(project, *PLUGIN)
    assert (status, "install django-lintel[test]" in output) == (4, True)
