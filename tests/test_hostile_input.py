"""What ``make fuzz`` found stays repaired, and a few inputs of each kind are answered."""

import asyncio
import json
import subprocess
import sys
from os import environ
from pathlib import Path

import pytest
from hostile import wires
from hostile.guided import process, put_beginnings
from hostile.inputs import ALONE, KINDS, SHARED, Sent, made
from hostile.keeping import KEPT, keep, replayed
from hostile.network import answers, group_of, sent, serving
from hostile.texts import cases
from hostile.worker import Answer
from service_process import REPOSITORY

pytestmark = pytest.mark.xdist_group("fuzz")


@pytest.mark.parametrize("kept", sorted(KEPT.glob("*.json")), ids=lambda kept: kept.stem)
def test_an_input_that_failed_once_is_answered(kept: Path) -> None:
    assert not [told for told in replayed(kept) if told[0]]


def test_some_inputs_of_each_kind_are_answered() -> None:
    """The same ones in each run; ``make fuzz`` takes others, and more."""
    lines = [json.dumps([kind, 7, 0, 20]) for kind in KINDS]
    run = subprocess.run(
        [sys.executable, "-m", "hostile.worker", "lintel"],
        env={**environ, "PYTHONPATH": str(REPOSITORY / "tools")},
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for kind, line in zip(KINDS, run.stdout.splitlines(), strict=True):
        answers = [Answer(*each) for each in json.loads(line)]
        assert len(answers) == 20
        assert not [(kind, number, each) for number, each in enumerate(answers) if each.wrong]


def test_texts_that_failed_once_are_taken_or_refused(tmp_path: Path) -> None:
    (tmp_path / "sample.json").write_text('{"target": "cursors", "bytes": "\\u00ff"}')
    for kept in (*tmp_path.glob("*.json"), *KEPT.glob("targets/*.json")):
        told = json.loads(kept.read_text())
        folder = tmp_path / f"{kept.stem}-text"
        folder.mkdir()
        (folder / "text").write_bytes(told["bytes"].encode("latin-1"))
        counts = json.loads(process("lintel", answering(told["target"], folder)).stdout)
        assert (counts["failed"], counts["taken"] + counts["refused"]) == (0, 1), kept


@pytest.mark.parametrize("name", ["JSON parser", "cursors", "patches", "multipart parser"])
def test_texts_that_changes_begin_with_are_taken_or_refused(name: str, tmp_path: Path) -> None:
    put_beginnings(name, 7, tmp_path)
    run = process("lintel", answering(name, tmp_path))
    counts = json.loads(run.stdout)
    assert counts["failed"] == 0
    assert counts["taken"] + counts["refused"] == len(list(tmp_path.iterdir())) > 50


def answering(name: str, folder: Path) -> list[str]:
    return ["--answer", name, "--folder", str(folder)]


@pytest.mark.parametrize("name", ["granian, WSGI", "granian, ASGI", "uvicorn"])
def test_servers_go_on_answering_whatever_bytes_come(name: str, tmp_path: Path) -> None:
    """Without an exception of the application."""
    with serving(name, "lintel", tmp_path) as server:
        contents = [wires.made(7, number) for number in range(60)]
        statuses = asyncio.run(sent(server, contents))
        assert asyncio.run(answers(server))
        assert server.faults.read_text() == ""
    assert len({group_of(status) for status in statuses}) > 1


def test_the_same_seed_makes_the_same_input() -> None:
    for kind in (*SHARED, *ALONE):
        assert [made(kind, 3, n) for n in range(5)] == [made(kind, 3, n) for n in range(5)]
        assert len({str(made(kind, seed, 0)) for seed in range(30)}) > 5, kind


def test_a_request_is_kept_as_it_was() -> None:
    sent = Sent("POST", "/\xff?a", {"Accept": "\xe9"}, bytes(range(256)))
    assert Sent.loaded(json.loads(json.dumps(sent.dumped()))) == sent


def test_a_failing_request_is_kept_alone_or_with_those_before_it(tmp_path: Path) -> None:
    first, last = Sent("GET", "/notes/"), Sent("GET", "/labels/")
    kept = keep("paths, suffixes", [first], last, tmp_path)  # nothing fails, so not alone either
    assert [each["target"] for each in json.loads(kept.read_text())["requests"]] == [
        "/notes/",
        "/labels/",
    ]
    assert list(tmp_path.iterdir()) == [kept]


def test_cases_of_json_are_what_their_class_says() -> None:
    for kind, text in cases():
        if kind == "y":
            json.loads(text)
        elif kind == "n":
            with pytest.raises(ValueError):  # noqa: PT011 - each says something else
                json.loads(text, parse_constant=_refuse)


def _refuse(text: str) -> None:
    raise ValueError(text)


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (Answer(400, 1.0, 0, ""), ""),
        (Answer(500, 1.0, 0, ""), "status 500"),
        (Answer(200, 1.0, 0, "ValueError"), "status 200"),
        (Answer(0, 1.0, 0, ""), "status 0"),
        (Answer(200, 2500.0, 0, ""), "2500 ms"),
        (Answer(200, 1.0, 300 * 1024, ""), "300 MB"),
    ],
)
def test_an_answer_has_a_status_and_is_within_bounds(answer: Answer, wrong: str) -> None:
    assert answer.wrong == wrong
