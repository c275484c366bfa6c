import io
import sys

import pytest

from lintel_client.cli import output
from lintel_client.downloads import DownloadCodec
from lintel_document import Document, Link


class Screen(io.TextIOWrapper):
    """Standard output with a terminal, or a pipe, at its end."""

    def __init__(self, terminal):
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    def shown(self):
        self.flush()
        return self.buffer.getvalue()


@pytest.fixture
def screen(monkeypatch):
    def _screen(terminal):
        made = Screen(terminal)
        monkeypatch.setattr(sys, "stdout", made)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        return made

    return _screen


def test_a_pipe_gets_json_without_colours(screen):
    pipe = screen(terminal=False)
    output.print_result({"b": "é", "a": [1, None]})
    assert (
        pipe.shown()
        == '{\n    "b": "é",\n    "a": [\n        1,\n        null\n    ]\n}\n'.encode()
    )


def test_a_terminal_gets_colours(screen):
    terminal = screen(terminal=True)
    output.print_result({"a": "x" * 300})
    assert b"\x1b[" in terminal.shown()
    assert b"x" * 300 in terminal.shown()


@pytest.mark.parametrize("text", ["a\r\n\x1b[31m", "no newline", "é\n", ""])
def test_a_pipe_gets_text_to_the_byte(screen, text):
    pipe = screen(terminal=False)
    output.print_result(text)
    assert pipe.shown() == text.encode()


def test_a_terminal_gets_no_control_characters(screen):
    terminal = screen(terminal=True)
    output.print_result("a\x1b]0;title\x07\x9b1mb\n")
    assert terminal.shown() == "a\ufffd]0;title\ufffd\ufffd1mb\n".encode()
    output.print_document(Document("http://x.org/", "\x1b[2J"))
    assert b"\x1b[2J" not in terminal.shown()


def test_nothing_prints_nothing(screen):
    pipe = screen(terminal=False)
    output.print_result(None)
    assert pipe.shown() == b""


@pytest.mark.parametrize(
    ("value", "expected"), [(False, b"false\n"), (0, b"0\n"), ([], b"[]\n"), ({}, b"{}\n")]
)
def test_falsy_results_are_printed(screen, value, expected):
    pipe = screen(terminal=False)
    output.print_result(value)
    assert pipe.shown() == expected


def test_half_a_surrogate_pair_is_escaped(screen):
    pipe = screen(terminal=False)
    output.print_result(["\ud800é"])
    assert pipe.shown() == b'[\n    "\\ud800\\u00e9"\n]\n'


def test_parts_of_documents_are_json(screen):
    pipe = screen(terminal=False)
    output.print_result([Document(content={"a": [Link("/x", "get")]})])
    assert b'"action": "get"' in pipe.shown()


def test_downloads_go_to_a_pipe_but_not_to_a_terminal(screen, capsys):
    download = DownloadCodec().decode(
        b"\x00\xff", content_type="image/png", base_url="http://x/a.png"
    )
    pipe = screen(terminal=False)
    output.print_result(download)
    assert pipe.shown() == b"\x00\xff"
    terminal = screen(terminal=True)
    output.print_result(download)
    assert terminal.shown() == b""
    assert "a.png: 2 bytes of image/png" in capsys.readouterr().err


def test_tables_are_for_terminals(screen):
    pipe = screen(terminal=False)
    output.print_table(["a", "b"], [("x", True)])
    assert pipe.shown() == b'[\n    {\n        "a": "x",\n        "b": true\n    }\n]\n'
    terminal = screen(terminal=True)
    output.print_table(["a", "b"], [("[red]x", True), ("y", False)])
    shown = terminal.shown().decode()
    assert "[red]x" in shown
    assert "│" in shown


@pytest.mark.parametrize(
    ("result", "content"),
    [("é\r\n", "é\r\n".encode()), ({"a": 1}, b'{\n    "a": 1\n}\n'), (None, b"")],
)
def test_results_can_be_saved(tmp_path, result, content):
    output.save(result, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == content
    output.save(DownloadCodec().decode(b"\xff"), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"\xff"
