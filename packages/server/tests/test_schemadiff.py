"""The command schemadiff and the module of that name, which hand on to lintel_contract."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

import lintel_contract
from lintel import schemadiff
from lintel_contract import command

OPERATION = {"responses": {"200": {"description": ""}}}
OLD = {"openapi": "3.1.0", "paths": {"/a": {"get": OPERATION}, "/b": {"get": OPERATION}}}
NEW = {"openapi": "3.1.0", "paths": {"/a": {"get": OPERATION}}}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with both descriptions, which is the current one."""
    (tmp_path / "old.json").write_text(json.dumps(OLD))
    (tmp_path / "new.json").write_text(json.dumps(NEW))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(*arguments: str) -> str:
    out = io.StringIO()
    call_command("schemadiff", *arguments, stdout=out)
    return out.getvalue()


def test_the_report_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    command.main(["old.json", "new.json"])
    assert report("old.json", "new.json") == capsys.readouterr().out
    assert report("old.json", "new.json").endswith("1 breaking, 0 risky, 0 harmless\n")


def test_the_report_goes_to_a_file(files: Path) -> None:
    options = ("--format", "markdown", "--file", "report.md")
    assert report("old.json", "new.json", *options) == ""
    assert "### Breaking" in (files / "report.md").read_text()


@pytest.mark.parametrize(
    ("least", "words"),
    [
        ("harmless", ["breaking", "risky", "harmless"]),
        ("risky", ["breaking", "risky"]),
        ("breaking", ["breaking"]),
    ],
)
def test_only_changes_of_a_level_and_worse_are_listed(
    files: Path, least: str, words: list[str]
) -> None:
    renamed = {**OPERATION, "operationId": "listA"}
    mixed = {"/a": {"get": renamed}, "/c": {"get": OPERATION}}
    (files / "old.json").write_text(
        json.dumps(
            OLD | {"paths": OLD["paths"] | {"/a": {"get": {**OPERATION, "operationId": "a"}}}}
        )
    )
    (files / "mixed.json").write_text(json.dumps({**NEW, "paths": mixed}))
    lines = report("old.json", "mixed.json", "--least", least).splitlines()
    assert [line.split()[0] for line in lines[:-1:3]] == words
    assert lines[-1] == "1 breaking, 1 risky, 1 harmless"
    options = ("--least", least, "--format")
    found = json.loads(report("old.json", "mixed.json", *options, "json"))
    assert [each["level"] for each in found["changes"]] == words
    assert sum(found["counts"].values()) == 3
    tables = report("old.json", "mixed.json", *options, "markdown")
    assert [word for word in ("Breaking", "Risky", "Harmless") if f"### {word}" in tables] == [
        word.capitalize() for word in words
    ]


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("old.json", "new.json", "--breaking"), r"1 breaking change\.", 1),
        (("old.json", "missing.json"), "no file missing.json", 2),
    ],
)
def test_failures_have_a_status(arguments: tuple[str, ...], message: str, status: int) -> None:
    with pytest.raises(CommandError, match=message) as caught:
        report(*arguments)
    assert caught.value.returncode == status


def test_the_module_has_the_names_of_the_distribution() -> None:
    assert schemadiff.__all__ == lintel_contract.__all__
    for name in schemadiff.__all__:
        assert getattr(schemadiff, name) is getattr(lintel_contract, name)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("-m", "django", "schemadiff", "old.json", "new.json"), 2),
        (("-c", "import lintel.schemadiff"), 1),
    ],
)
def test_a_missing_distribution_is_named_with_its_extra(
    files: Path, arguments: tuple[str, ...], status: int
) -> None:
    (files / "lintel_contract.py").write_text("raise ImportError('no lintel_contract')")
    (files / "settings.py").write_text('SECRET_KEY = "x"\nINSTALLED_APPS = ["lintel"]\n')
    paths = [str(files), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "DJANGO_SETTINGS_MODULE": "settings"}
    ended = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == status
    assert "install django-lintel[test]" in ended.stderr
