import io
import sys

import click
import pytest

from lintel_client.cli.values import parameters
from lintel_client.files import File


def read(params=(), strings=(), data=(), files=()):
    return parameters(params, strings, data, files)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.5", 1.5),
        ("true", True),
        ("null", None),
        ('"quoted"', "quoted"),
        ("[1, 2]", [1, 2]),
        ('{"a": {}}', {"a": {}}),
        ("text", "text"),
        ("007", "007"),
        ("", ""),
        ("a=b", "a=b"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("1e999", "1e999"),
        ("@me", "@me"),
    ],
)
def test_types_are_inferred(text, value):
    found = read(params=[f"x={text}"])["x"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["{broken", "[1", "[NaN]", "[" * 100_000])
def test_almost_json_is_refused(text):
    with pytest.raises(click.UsageError, match="looks like JSON but is not"):
        read(params=[f"x={text}"])


@pytest.mark.parametrize("text", ["1", "true", "", "[1]", "a=b=c", "x@y"])
def test_strings_stay_as_they_are(text):
    assert read(strings=[f"x={text}"]) == {"x": text}


def test_strings_can_come_from_a_file(tmp_path):
    path = tmp_path / "code.py"
    path.write_bytes("\ufeffé\r\n".encode())
    assert read(strings=[f"x=@{path}"]) == {"x": "\ufeffé\r\n"}
    assert read(strings=["x=@@me"]) == {"x": "@me"}
    assert read(strings=["x=@@@me"]) == {"x": "@@me"}


def test_standard_input_is_a_file(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\r\n".encode())))
    assert read(strings=["x=@-"]) == {"x": "é\r\n"}


@pytest.mark.parametrize("path", ["missing", ".", "a\x00b"])
def test_files_that_cannot_be_read(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(click.UsageError, match=r"x: cannot read .* is written @@"):
        read(strings=[f"x=@{path}"])
    with pytest.raises(click.UsageError, match="x: cannot read"):
        read(files=[f"x={path}"])


def test_files_that_are_no_text(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"\xff")
    with pytest.raises(click.UsageError, match="not text in UTF-8; upload it with --file"):
        read(strings=[f"x=@{path}"])


def test_data_is_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": null}')
    assert read(data=["x=[1]", f"y=@{path}"]) == {"x": [1], "y": {"a": None}}


@pytest.mark.parametrize("text", ["text", "", "NaN", "{", "1e999", "'a'"])
def test_data_that_is_no_json(text):
    with pytest.raises(click.UsageError, match=r"must be JSON .* --string x="):
        read(data=[f"x={text}"])


def test_files_are_uploads(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89")
    assert read(files=[f"x={path}"]) == {"x": File("a.png", b"\x89")}


def test_files_win_over_data_strings_and_params(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"")
    everything = {"params": ["x=1"], "strings": ["x=2"], "data": ["x=3"], "files": [f"x={path}"]}
    assert read(**everything)["x"] == File("f", b"")
    assert read(**{**everything, "files": []})["x"] == 3
    assert read(params=["x=1"], strings=["x=2"])["x"] == "2"


@pytest.mark.parametrize("text", ["x", "", "=1"])
def test_options_must_name_a_value(text):
    with pytest.raises(click.UsageError, match="must be written NAME=VALUE"):
        read(params=[text])


def test_a_name_given_twice_is_refused():
    with pytest.raises(click.UsageError, match=r"--string x is given twice; for a list .*--data"):
        read(strings=["x=1", "x=2"])


@pytest.mark.parametrize("text", ["x=\udcff", "\udcff=x"])
def test_arguments_that_are_no_utf8(text):
    with pytest.raises(click.UsageError, match="not valid UTF-8"):
        read(strings=[text])
