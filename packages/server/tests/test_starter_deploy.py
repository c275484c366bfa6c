"""What ``startproject --deploy`` writes: accepted by the tools of each format, and run."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from compose_spec import PyOptions
from granian.cli import cli
from servers import running_postgresql, wait_for
from services import program

from lintel import __main__ as command

KUBERNETES = "1.37.0"
PROBES = {
    "startupProbe": "/health/started/",
    "readinessProbe": "/health/ready/",
    "livenessProbe": "/health/live/",
}


@pytest.fixture(scope="module", params=["shop", "My_Shop"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project; of another name, the second one needs changes of it."""
    folder = tmp_path_factory.mktemp("deploy")
    line = [sys.executable, "-W", "error", "-m", "lintel", "startproject", request.param]
    subprocess.run([*line, "--deploy"], cwd=folder, check=True, capture_output=True)
    return folder / request.param


@pytest.fixture
def resources(project: Path) -> dict[str, Any]:
    """By kind; the service that leads nowhere by that word."""
    every = list(yaml.safe_load_all((project / "deploy/kubernetes.yaml").read_text()))
    is_nowhere = [each["metadata"]["name"].endswith("-nowhere") for each in every]
    kinds = [
        "Nowhere" if leads_nowhere else each["kind"]
        for each, leads_nowhere in zip(every, is_nowhere, strict=True)
    ]
    return dict(zip(kinds, every, strict=True))


def compose(project: Path) -> dict[str, Any]:
    return yaml.safe_load((project / "deploy/compose.yaml").read_text())


def commands(project: Path) -> Iterator[list[str]]:
    """The commands that start servers, from all files."""
    resources = yaml.safe_load_all((project / "deploy/kubernetes.yaml").read_text())
    for each in resources:
        if each["kind"] == "Deployment":
            yield each["spec"]["template"]["spec"]["containers"][0]["command"]
    yield compose(project)["services"]["service"]["command"]
    unit = (project / f"deploy/systemd/{project.name}.service").read_text()
    (line,) = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    yield shlex.split(line)


def test_nothing_is_left_of_the_template(project: Path) -> None:
    files = [path for path in (project / "deploy").rglob("*") if path.is_file()]
    assert len(files) == 9
    assert not [path for path in files if re.search(r"{{|{%|project_name", path.read_text())]
    assert all(path.read_text().endswith("\n") for path in files)


def test_kubernetes_accepts_it(resources: dict[str, Any]) -> None:
    assert list(resources) == [
        *("Job", "Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler"),
        *("Nowhere", "Ingress", "CronJob"),
    ]
    for each in resources.values():
        kubernetes_validate.validate(each, KUBERNETES, strict=True)
        # Names of Kubernetes are labels of DNS.
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", each["metadata"]["name"])


def test_everything_in_kubernetes_finds_the_pods(resources: dict[str, Any]) -> None:
    labels = resources["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert resources["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert resources["Service"]["spec"]["selector"] == labels
    assert resources["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert resources["Job"]["spec"]["template"]["metadata"]["labels"] != labels
    target = resources["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"]
    assert target == resources["Deployment"]["metadata"]["name"]


def test_health_is_not_for_the_public(resources: dict[str, Any]) -> None:
    (rule,) = resources["Ingress"]["spec"]["rules"]
    hidden, shown = rule["http"]["paths"]
    names = [path["backend"]["service"]["name"] for path in (hidden, shown)]
    assert names == [resources[kind]["metadata"]["name"] for kind in ("Nowhere", "Service")]
    assert (hidden["path"], shown["path"]) == ("/health/", "/")
    # Without pods or addresses of its own.
    assert set(resources["Nowhere"]["spec"]) == {"ports"}


def test_probes_ask_the_views_of_health(resources: dict[str, Any]) -> None:
    pod = resources["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    for name, path in PROBES.items():
        probe = container[name]
        assert probe["httpGet"]["path"] == path
        assert probe["httpGet"]["port"] == container["ports"][0]["name"] == "http"
        # Longer than HEALTH_TIMEOUT.
        assert probe["timeoutSeconds"] > 1


def test_there_is_time_to_drain(project: Path, resources: dict[str, Any]) -> None:
    first, second, third = (
        float(re.findall(r"--drain[= ](\d+)", shlex.join(line))[0]) for line in commands(project)
    )
    pod = resources["Deployment"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] >= first + 30
    assert resources["Deployment"]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    # The endpoints are told after two failures, two seconds apart.
    assert first > 2 * 2 + pod["containers"][0]["readinessProbe"]["timeoutSeconds"]
    assert compose(project)["services"]["service"]["stop_grace_period"] == f"{second + 35:.0f}s"
    unit = (project / f"deploy/systemd/{project.name}.service").read_text()
    assert f"TimeoutStopSec={third + 35:.0f}\n" in unit


def test_compose_accepts_it(project: Path) -> None:
    options = PyOptions()
    options.apply_merge = True
    text = (project / "deploy/compose.yaml").read_text()
    options.from_yaml(text).validate()
    read = compose(project)
    # It would notice: a word that is none.
    with pytest.raises(ValueError, match="prots"):
        options.from_yaml(text.replace("ports:", "prots:"))
    for service in read["services"].values():
        assert set(service.get("depends_on", {})) <= set(read["services"])
    assert (project / "deploy/nginx.compose.conf").exists()


def test_migrations_outlast_the_limit_of_requests(project: Path, resources: dict[str, Any]) -> None:
    (container,) = resources["Job"]["spec"]["template"]["spec"]["containers"]
    migrate = compose(project)["services"]["migrate"]["environment"]
    unit = (project / f"deploy/systemd/{project.name}-migrate.service").read_text()
    (in_unit,) = re.findall(r'^Environment="PGOPTIONS=(.*)"$', unit, re.M)
    told = [container["env"][0]["value"], migrate["PGOPTIONS"], in_unit]
    assert told == ["-c statement_timeout=0 -c lock_timeout=5s"] * 3
    assert migrate["DATABASE_URL"]
    # PostgreSQL takes them before what a role has.
    with running_postgresql() as server, server.connect() as other:
        other.execute("ALTER ROLE CURRENT_USER SET statement_timeout = '15s'")
        read = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')"
        line = ["psql", "--no-psqlrc", "-At", "-h", server.folder, "-U", server.user, "-c", read]
        said = subprocess.run(
            [*line, "postgres"],
            env={**os.environ, "PGOPTIONS": in_unit},
            check=True,
            capture_output=True,
            text=True,
        )
    assert said.stdout == "0|5s\n"


def test_the_socket_is_open_to_nginx(project: Path) -> None:
    *_, unit = commands(project)
    (mode,) = [after for name, after in pairwise(unit) if name == "--uds-permissions"]
    (option,) = (each for each in cli.params if each.name == "uds_permissions")
    assert option.type.convert(mode, None, None) == 0o666


def test_nightly_work_is_the_same_everywhere(project: Path, resources: dict[str, Any]) -> None:
    nightly = ["clear_idempotency_keys", "clearsessions"]
    unit = (project / f"deploy/systemd/{project.name}-clear.service").read_text()
    spec = resources["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    readme = (project / "deploy/README.md").read_text()
    for text in (unit, shlex.join(spec["containers"][0]["command"]), readme):
        assert re.findall(r"manage\.py (clear\w+)", text) == nightly


def test_variables_hold_no_comment(project: Path) -> None:
    """systemd, compose and kubectl take what stands behind a value for a part of it."""
    readme = (project / "deploy/README.md").read_text()
    (block,) = re.findall(r"```shell\n(.*?)```", readme, re.S)
    lines = [line for line in block.splitlines() if not line.startswith("#")]
    assert len(lines) == 5
    assert not [line for line in lines if re.search(r"\s", line)]


def test_options_of_the_server_exist(project: Path) -> None:
    known = {name for option in cli.params for name in [*option.opts, *option.secondary_opts]}
    for line in commands(project):
        used = {each.partition("=")[0] for each in line if each.startswith("--")}
        assert used - {"--drain"} <= known


def test_systemd_accepts_the_units(project: Path, tmp_path: Path) -> None:
    for unit in (project / "deploy/systemd").iterdir():
        text = unit.read_text()
        # The interpreter is on no other machine, nor are users.
        text = re.sub(r"/srv/\w+/\.venv/bin/python", sys.executable, text)
        (tmp_path / unit.name).write_text(text)
    units = sorted(tmp_path.iterdir())
    run = subprocess.run(
        [program("systemd-analyze"), "verify", *units], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("name", ["nginx.conf", "nginx.compose.conf"])
def test_nginx_accepts_its_configuration(project: Path, tmp_path: Path, name: str) -> None:
    request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    files = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "certificate.pem"]
    subprocess.run(
        [program("openssl"), *request, "-nodes", "-subj", "/CN=localhost", *files],
        check=True,
        capture_output=True,
    )
    text = (project / "deploy" / name).read_text()
    text = re.sub(r"/etc/(nginx/certificates|ssl/\w+)/", f"{tmp_path}/", text)
    # A host of the compose network, ports that only root may take, and a newer nginx.
    text = text.replace("server service:8000", "server 127.0.0.1:8000").replace("http2 on;", "")
    text = re.sub(r"listen (\d+)", r"listen 127.0.0.1:1\1", text)
    temporary = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = tmp_path / "main.conf"
    main.write_text(f"pid {tmp_path}/pid; events {{}} http {{ {temporary}\n{text} }}")
    log = f"{tmp_path}/errors"
    run = subprocess.run(
        [program("nginx"), "-t", "-q", "-c", main, "-e", log, "-g", f"error_log {log};"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_the_commands_run(project: Path) -> None:
    """As in compose: migrations, static files, then the server, on a database in a file."""
    if project.name != "shop":
        pytest.skip("once is enough")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DJANGO_", "PYTEST_"))}
    migrate = compose(project)["services"]["migrate"]["command"]
    for line in (migrate, ["python", "manage.py", "collectstatic", "--no-input"]):
        subprocess.run(
            [sys.executable, *line[1:]],
            cwd=project,
            env=environment,
            check=True,
            capture_output=True,
        )
    with closing(socket.create_server(("127.0.0.1", 0))) as held:
        port = held.getsockname()[1]
    (_, line, _) = commands(project)
    line = [sys.executable, *line[1:]]
    line[line.index("--host=0.0.0.0")] = "--host=127.0.0.1"
    line[line.index("--port=8000")] = f"--port={port}"
    line[line.index("--drain=5")] = "--drain=0"
    process = subprocess.Popen(line, cwd=project, env=environment)
    try:
        wait_for(("127.0.0.1", port), process)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready/", timeout=30) as ready:
            assert json.load(ready) == {"status": "ready"}
        style = f"http://127.0.0.1:{port}/static/rest_framework/css/default.css"
        with urllib.request.urlopen(style, timeout=30) as page:
            assert page.status == 200
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


def test_without_the_option_there_is_no_such_folder(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "lintel", "startproject", "shop"]
    subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
    assert not (tmp_path / "shop/deploy").exists()


@pytest.mark.parametrize("arguments", [["--deploy"], ["a", "b", "c", "--deploy"]])
def test_the_option_needs_a_name(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"NAME \[FOLDER\] \[--deploy\]"):
        command.main(["startproject", *arguments])
