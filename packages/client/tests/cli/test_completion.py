"""Completion results, requested as shells do, and by the shells themselves."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lintel_document import CoreJSONCodec, Document, Field, Link, schemas

BREAKS = "\"'><=;|&(:"
EXECUTABLE = Path(sys.executable).with_name("lintel")


@pytest.fixture
def loaded(lintel, tmp_path):
    """A document with operations, parameters and values to complete."""
    fields = [
        Field("id", True, "path", schemas.Integer(description="The number, of course: one.")),
        Field("language", False, "form", schemas.Enum(enum=["python", "perl", "el", 2])),
        Field("flag", False, "form", schemas.Boolean()),
    ]
    content = {
        "snippets": {
            "update": Link(
                "/s/{id}/", "put", "application/json", title="Change, or not", fields=fields
            ),
            "list": Link("/s/"),
        },
        "": {"list": Link("/")},
        "a b;$(c)": {"go": Link("/")},
        "e\x1b[2J": {"go": Link("/")},
        "line\nbreak": {"go": Link("/")},
        "data": 1,
        "post": {"list": Link("/p/"), "latest": Link("/p/"), "make": Link("/p/", "post")},
        "request": {"list": Link("/r/")},
    }
    path = tmp_path / "document.json"
    path.write_bytes(CoreJSONCodec().encode(Document("http://x.org/", "T", content=content)))
    assert lintel("load", str(path)).status == 0


@pytest.fixture
def ask(folder):
    """Return the executable's completions for bash, for a line with the cursor at its end."""

    def _ask(line):
        given = {"LINTEL_LINE": line, "LINTEL_BREAKS": BREAKS, "_LINTEL_COMPLETE": "bash_complete"}
        done = subprocess.run([EXECUTABLE], env={**os.environ, **given}, capture_output=True)
        assert done.stderr == b""
        return [line for line in done.stdout.decode().split("\n") if line]

    return _ask


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("lintel sni", ["plain,snippets"]),
        ("lintel snippets ", ["plain,update", "plain,list"]),
        ("lintel action snippets u", ["plain,update"]),
        ("lintel show sn", ["plain,snippets"]),
        ("lintel describe snippets l", ["plain,list"]),
        ("lintel action snippets update --id 1 --lang", ["plain,--language"]),
        ("lintel snippets update --fl", ["plain,--flag"]),
        ("lintel snippets update --language p", ["plain,python", "plain,perl"]),
        ("lintel snippets update --language=p", ["plain,python", "plain,perl"]),
        ("lintel snippets update -p l", ["part,language="]),
        ("lintel snippets update -p id=1 --param language=p", ["plain,python", "plain,perl"]),
        ("lintel snippets update -s flag=", ["plain,true", "plain,false"]),
        ("lintel action snippets update -t ", ["plain,new", "plain,inplace"]),
        ("lintel a", [r"plain,a\ b\;\$\(c\)", "plain,action"]),
        ("lintel e", ["plain,edit"]),
        ("lintel line", []),
        ("lintel data", []),
        ("lintel show data", []),
        ("lintel post l", ["plain,list", "plain,latest"]),
        ("lintel post http://x.org/ l", []),
        ("lintel put l", []),
        ("lintel request ", ["plain,list"]),
        ("lintel request GET l", []),
        ("lintel completion f", ["plain,fish"]),
        ("lintel load ", ["file,"]),
        ("lintel credentials add x y --auth b", ["plain,basic"]),
    ],
)
def test_answers(loaded, ask, line, answers):
    assert sorted(ask(line)) == sorted(answers)


def test_keys_then_flags_of_the_operation(loaded, ask):
    assert ask("lintel action snippets update ") == [
        "plain,--id",
        "plain,--language",
        "plain,--flag",
    ]


def test_bookmarks(loaded, ask, lintel, folder):
    lintel("bookmarks", "add", "mine")
    assert ask("lintel -b m") == ["plain,mine"]
    assert ask("lintel bookmarks remove ") == ["plain,mine"]
    assert ask("lintel -b mine snippets li") == ["plain,list"]
    assert ask("lintel -b other snippets li") == []
    (folder / "bookmarks.json").write_text("[")
    assert ask("lintel -b m") == []


def test_without_a_document_commands_are_offered(ask):
    assert "plain,get" in ask("lintel g")
    assert ask("lintel show ") == []


def test_a_key_press_loads_little(loaded):
    """The CPU of a key press is that of what it imports; the document is not read at all."""
    script = (
        "import os, sys\n"
        "from lintel_client.cli import main\n"
        "sys.argv = ['lintel']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(len(sys.modules))\n"
        "heavy = ('httpx2', 'rich', 'lintel_document.document')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    given = {"LINTEL_BREAKS": BREAKS, "_LINTEL_COMPLETE": "bash_complete"}
    for line in ("lintel ", "lintel action snippets update --param ", "lintel credentials "):
        environment = {**os.environ, **given, "LINTEL_LINE": line}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True
        )
        *_, count, loaded_names = done.stdout.splitlines()
        assert loaded_names == "[]", done.stderr
        assert int(count) < 320


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_name_the_executable(lintel, shell):
    script = lintel("completion", shell).output
    assert f"_LINTEL_COMPLETE={shell}_complete" in script
    assert " lintel" in script


def run(shell, script, folder):
    path = f"{EXECUTABLE.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LINTEL_CONFIG_DIR": str(folder)}
    done = subprocess.run(shell, input=script, env=environment, capture_output=True, text=True)
    return done.stdout.splitlines()


def in_bash(line, folder):
    script = (
        'eval "$(lintel completion bash)"\n'
        'compopt() { echo "option $*"; }\n'
        f"COMP_LINE='{line}more'; COMP_POINT={len(line)}; COMP_WORDBREAKS='=:'\n"
        '_lintel_completion lintel; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    return run(["bash", "--norc"], script, folder)


def test_bash(loaded, folder):
    assert in_bash("lintel snippets up", folder) == ["update"]
    assert in_bash("lintel snippets update -p language=pe", folder) == ["perl"]
    assert in_bash("lintel snippets update -p lang", folder) == ["option -o nospace", "language="]


def test_zsh(loaded, folder):
    script = (
        'compdef() { }; _describe() { print -l -- "${(@P)3}" }; compadd() { print -l -- "$@" }\n'
        'eval "$(lintel completion zsh)"\n'
        "words=(lintel snippets '')\nCURRENT=3\n_lintel_completion\n"
        "words=(lintel snippets update --param l)\nCURRENT=5\n_lintel_completion\n"
    )
    described, listed, *option = run(["zsh", "-f"], script, folder)
    assert described == "update:Change, or not"
    assert listed == "list:list"
    assert option == ["-V", "unsorted", "-S", "", "-a", "parts"]


def test_fish(loaded, folder):
    script = (
        "lintel completion fish | source\n"
        "complete -C 'lintel snippets '\n"
        "complete -C 'lintel snippets update --language pe'\n"
        "complete -C 'lintel snippets update --param id'\n"
    )
    assert run(["fish", "--no-config"], script, folder) == [
        "list",
        "update\tChange, or not",
        "perl",
        "id=\tThe number, of course: one. [required]",
    ]


@pytest.fixture
def ask_for_powershell(folder):
    """Return the executable's completions of a word after others, as its script asks for them."""

    def _ask(*words, raw=None):
        given = json.dumps({"words": words[:-1], "incomplete": words[-1]}) if raw is None else raw
        environment = {"LINTEL_WORDS": given, "_LINTEL_COMPLETE": "powershell_complete"}
        done = subprocess.run([EXECUTABLE], env={**os.environ, **environment}, capture_output=True)
        assert done.stderr == b""
        return [json.loads(line) for line in done.stdout.decode("ascii").splitlines() if line]

    return _ask


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (("lintel", "sni"), ["snippets"]),
        (("lintel", "snippets", ""), ["update", "list"]),
        (("lintel", "snippets", "update", "--language", "p"), ["python", "perl"]),
        (
            ("lintel", "snippets", "update", "--language=p"),
            ["--language=python", "--language=perl"],
        ),
        (("lintel", "snippets", "update", "-p", "l"), ["language="]),
        (("lintel", "snippets", "update", "-p", "language=pe"), ["language=perl"]),
        (("lintel", "a"), ["'a b;$(c)'", "action"]),
        (("lintel", "line"), []),
        (("lintel", "completion", "p"), ["powershell"]),
    ],
)
def test_powershell_gets_objects(loaded, ask_for_powershell, words, texts):
    assert sorted(item["text"] for item in ask_for_powershell(*words)) == sorted(texts)


def test_powershell_gets_kinds_and_explanations(loaded, ask_for_powershell):
    assert ask_for_powershell("lintel", "load", "")[0]["kind"] == "file"
    found = ask_for_powershell("lintel", "snippets", "u")
    update = {"kind": "plain", "text": "update", "value": "update", "about": "Change, or not"}
    assert found == [update]


@pytest.mark.parametrize("raw", ["", "{", "[]", '{"words": 1, "incomplete": ""}'])
def test_other_input_is_no_failure(loaded, ask_for_powershell, raw):
    assert "get" in [item["value"] for item in ask_for_powershell(raw=raw)]


def test_the_script_for_powershell_is_balanced(lintel):
    """No PowerShell runs here: brackets and quotes are the part of its syntax that is checked."""
    script = lintel("completion", "powershell").output
    code = re.sub(r"'[^'\n]*'", "", script)
    assert "'" not in code
    for opening, closing in ("{}", "()", "[]"):
        assert code.count(opening) == code.count(closing) > 0
    assert "%" not in code
    assert "CommandName lintel, lintel.exe" in script
    assert "= 'powershell_complete'" in script
    for name in ("LINTEL_WORDS", "_LINTEL_COMPLETE"):
        assert f"$env:{name} =" in script
        assert f"Env:{name}" in script
