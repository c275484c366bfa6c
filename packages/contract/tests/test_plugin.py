"""The plugin in suites of other services: of WSGI and ASGI applications, and of plain Django."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

SCHEMA = """
    openapi: 3.1.0
    servers: [{url: "https://things.example/{stage}/v1"}]
    paths:
      /things/{id}:
        get:
          responses:
            200:
              content:
                application/json:
                  schema: {required: [id], properties: {id: {type: integer}}}
        put:
          requestBody:
            content:
              application/json: {schema: {properties: {name: {type: string}}}}
          responses: {204: {description: stored}}
    """

APPLICATIONS = {
    "schema.yml": SCHEMA,
    "service.py": """
        import json

        def body_of(path):
            number = path.rpartition("/")[2]
            return json.dumps({"id": int(number) if number.isdigit() else number}).encode()

        def wsgi(environ, start_response):
            environ["wsgi.input"].read()
            status = "200 OK" if environ["REQUEST_METHOD"] == "GET" else "204 No Content"
            start_response(status, [("Content-Type", "application/json")])
            return [body_of(environ["PATH_INFO"]) if status == "200 OK" else b""]

        async def asgi(scope, receive, send):
            await receive()
            moved = scope["path"].startswith("/old/")
            head = [(b"content-type", b"application/json"), (b"location", b"/things/2")]
            status = 302 if moved else 200
            await send({"type": "http.response.start", "status": status, "headers": head})
            await send({"type": "http.response.body", "body": body_of(scope["path"])})

        def described():
            return {
                "openapi": "3.0.3",
                "paths": {"/things/{id}": {"get": {"responses": {"200": {"description": ""}}}}},
            }
        """,
    "test_service.py": """
        import asyncio
        import LIBRARY as library
        from service import asgi, wsgi

        ADDRESS = "https://things.example/live/v1/"

        def client():
            return library.Client(transport=library.WSGITransport(app=wsgi), base_url=ADDRESS)

        def test_what_is_described():
            with client() as session:
                assert session.get("things/1").json() == {"id": 1}
                assert session.put("things/1", json={"name": "a"}).status_code == 204
                with session.stream("GET", "things/1") as response:
                    assert b"".join(response.iter_bytes()) == b'{"id": 1}'

        def test_what_is_not():
            with client() as session:
                assert session.get("things/first").json() == {"id": "first"}
                assert session.put("things/1", json={"name": 1}).status_code == 204
                assert session.put("things/1", files={"name": b"a"}).status_code == 204
                assert session.delete("things/1").status_code == 204

        def test_paths_of_other_services():
            with client() as session:
                assert session.get("others/1").status_code == 200

        def test_async():
            async def send():
                transport = library.ASGITransport(app=asgi)
                async with library.AsyncClient(transport=transport) as session:
                    address = "http://testserver/old/things/1"
                    return await session.get(address, follow_redirects=True)

            assert asyncio.run(send()).url.path == "/things/2"
        """,
    "pytest.ini": """
        [pytest]
        lintel_schema = schema.yml
        """,
}

DJANGO = {
    "schema.yml": SCHEMA.replace("/{stage}/v1", ""),
    "settings.py": """
        SECRET_KEY = "x"
        ROOT_URLCONF = "urls"
        ALLOWED_HOSTS = ["*"]
        """,
    "urls.py": """
        from django.http import HttpResponse, JsonResponse
        from django.urls import path

        def thing(request, number):
            if request.method == "PUT":
                return HttpResponse(status=204, headers={"X-Sent": request.body.decode()})
            return JsonResponse({"id": number if number < 9 else str(number)})

        urlpatterns = [path("things/<int:number>", thing)]
        """,
    "test_things.py": """
        import asyncio
        from django.test import AsyncClient

        def test_sync(client):
            assert client.get("/things/1").json() == {"id": 1}
            sent = client.put("/things/1", {"name": "a"}, content_type="application/json")
            assert sent["X-Sent"] == '{"name": "a"}'

        def test_async():
            assert asyncio.run(AsyncClient().get("/things/2")).json() == {"id": 2}

        def test_text(client):
            assert client.get("/things/9").json() == {"id": "9"}
        """,
    "pytest.ini": """
        [pytest]
        DJANGO_SETTINGS_MODULE = settings
        django_find_project = false
        lintel_schema = schema.yml
        """,
}

#: Everything of ours but lintel_contract: it must not be needed.
ABSENT = ("lintel", "lintel_document", "lintel_client", "lintel_codecs")


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(dedent(text).lstrip())
    for name in ABSENT:
        (folder / f"{name}.py").write_text("raise ImportError('not installed')\n")
    return folder


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    plugins = ["-p", "pytest_django.plugin"] if (folder / "settings.py").exists() else []
    plugins += ["-p", "lintel_contract.plugin", "-p", "no:cacheprovider"]
    paths = [str(folder), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        # Plugins of other tests take longer to start than these runs.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", *plugins, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_clients_of_httpx_and_an_application_of_any_kind(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    tests = APPLICATIONS["test_service.py"].replace("LIBRARY", library)
    folder = written(tmp_path, {**APPLICATIONS, "test_service.py": tests})
    status, output = run(folder, "--lintel-report", "report.json")
    assert status == 1, output
    assert "4 passed" in output
    report = json.loads((folder / "report.json").read_text())
    assert report["exchanges"] == 7
    assert sorted(row[:4] for row in report["departures"]) == [
        ["DELETE /things/{id}", "operation", "204", 1],
        ["GET /things/{id}", "body", '200 application/json /id: type "integer"', 1],
        ["PUT /things/{id}", "request-body", 'application/json /name: type "string"', 1],
        ["PUT /things/{id}", "request-media-type", "multipart/form-data", 1],
    ]


def test_a_function_may_return_the_description(tmp_path: Path) -> None:
    folder = written(tmp_path, APPLICATIONS)
    text = (folder / "test_service.py").read_text().replace("LIBRARY", "httpx2")
    (folder / "test_service.py").write_text(text)
    status, output = run(folder, "--lintel-schema", "service.described", "-k", "async")
    assert (status, "1 exchange; 1 of 1 operations" in output) == (1, True), output
    assert "GET /things/{id}: media-type 200 application/json" in output


def test_the_clients_of_django(tmp_path: Path) -> None:
    folder = written(tmp_path, DJANGO)
    status, output = run(folder, "-k", "nothing_is_sent")
    assert "0 exchanges checked against the OpenAPI schema.\n" in output
    status, output = run(folder, "-k", "not text")
    assert (status, "3 exchanges; 2 of 2 operations" in output) == (0, True), output
    status, output = run(folder)
    assert (status, "4 exchanges; 2 of 2 operations" in output) == (1, True), output
    assert 'GET /things/{id}: body 200 application/json /id: type "integer"' in output
    assert "first in test_things.py::test_text" in output


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("", "needs a description"),
        ("missing.yml", "'missing.yml' is neither a file nor a name to import"),
        ("service.nothing", "has no attribute 'nothing'"),
        ("service.py", "service.py is neither JSON"),
    ],
)
def test_a_wrong_description_ends_the_run_with_its_reason(
    schema: str, reason: str, tmp_path: Path
) -> None:
    folder = written(tmp_path, {"service.py": "{[", "test_nothing.py": "def test(): pass"})
    if schema == "service.nothing":
        (folder / "service.py").write_text("")
    status, output = run(folder, f"--lintel-schema={schema}")
    assert (status, reason in output) == (4, True), output


def test_nothing_of_ours_and_no_django_is_imported(tmp_path: Path) -> None:
    script = (
        "import sys, lintel_contract, lintel_contract.command, lintel_contract.plugin\n"
        "import lintel_contract.testing\n"
        f"names = {ABSENT} + ('django', 'asgiref', 'httpx', 'httpx2')\n"
        "print([name for name in names if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")
