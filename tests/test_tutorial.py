"""The tutorial runs from an empty folder: files are written, commands print what is shown.

The language of a block decides: ``console`` runs and compares, ``python`` and ``html`` are
files named in their first line, ``shell`` is only for the reader.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import services
from service_process import LINTEL, REPOSITORY, free_port

PAGES = ("README.md", "rules.md", "clients.md")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
FILE = re.compile(r"(?:# |<!-- )(?P<path>[\w/]+\.\w+)(?:, (?P<how>.+?))?(?: -->)?$")
ADDRESS = "127.0.0.1:8000"


def pattern(expected: str) -> str:
    """A regular expression of a text in which "..." stands for anything."""
    return ".*?".join(map(re.escape, expected.rstrip().split("..."))) + r"\s*\Z"


class Reader:
    """A reader who follows the tutorial, with a shell and a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{free_port()}"
        self.server: subprocess.Popen[bytes] | None = None
        # Bytecode is kept between the commands, as it is for readers: they take two thirds.
        left_out = ("DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE")
        inherited = {key: text for key, text in os.environ.items() if key not in left_out}
        self.environment = {
            **inherited,
            "LINTEL_CONFIG_DIR": str(folder / ".lintel"),
            "PATH": f"{LINTEL.parent}:{os.environ['PATH']}",
        }

    def hide(self, packages: Iterable[str]) -> None:
        """Let imports fail of what the tutorial installs later; it stands in this environment."""
        hidden = self.folder.parent / "hidden"
        hidden.mkdir()
        for name in packages:
            (hidden / f"{name}.py").write_text(
                f"raise ModuleNotFoundError({name!r}, name={name!r})\n"
            )
        inherited = os.environ.get("PYTHONPATH", "")
        self.environment["PYTHONPATH"] = f"{hidden}{os.pathsep}{inherited}"

    def install(self, packages: Iterable[str]) -> None:
        for name in packages:
            (self.folder.parent / "hidden" / f"{name}.py").unlink()

    def write(self, text: str) -> None:
        """A file, or a part of one, as the first line says."""
        first, _, content = text.partition("\n")
        found = FILE.match(first)
        assert found, f"this block does not name its file: {first}"
        path = self.folder / found["path"]
        if path.exists() or path.suffix == ".html":
            # A new module reaches the server through others that change; after the first template
            # the reader restarts it.
            self.stop()
        path.parent.mkdir(parents=True, exist_ok=True)
        if found["how"] == "at the end":
            content = f"{path.read_text()}\n{content}"
        elif found["how"]:
            kept, name, _ = path.read_text().partition(found["how"].removeprefix("in place of "))
            assert name, found["how"]
            content = kept + content
        path.write_text(content.replace(ADDRESS, self.address))

    def run(self, console: str) -> None:
        """The commands of one block share a shell, so that variables last."""
        mark = "===== next ====="
        commands = COMMAND.findall(console)
        if ADDRESS in console or "client.py" in console:
            self.serve()
        script = "".join(f"{command}\necho '{mark}'\n" for command, _ in commands)
        ended = subprocess.run(
            ["bash", "-c", script.replace(ADDRESS, self.address)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        outputs = ended.stdout.split(f"{mark}\n")
        for (command, expected), output in zip(commands, outputs, strict=False):
            printed = output.replace(self.address, ADDRESS)
            assert re.match(pattern(expected), printed, re.S), (command, printed)

    def serve(self) -> None:
        if self.server:
            return
        # The tutorial runs the checks itself.
        options = ["--noreload", "--skip-checks"]
        manage = [sys.executable, "manage.py", "runserver", *options, self.address]
        with (self.folder / "server.log").open("w") as log:
            self.server = subprocess.Popen(
                manage, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        for _ in range(300):
            try:
                httpx2.get(f"http://{self.address}/admin/login/", timeout=5)
            except httpx2.TransportError:
                assert self.server.poll() is None, (self.folder / "server.log").read_text()
                time.sleep(0.1)
            else:
                return

    def stop(self) -> None:
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=20)
            self.server = None


@contextmanager
def reader(folder: Path) -> Iterator[Reader]:
    follower = Reader(folder)
    try:
        yield follower
    finally:
        follower.stop()


def steps() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        yield from BLOCK.findall((REPOSITORY / "docs" / "tutorial" / page).read_text())


def installed(text: str) -> list[str]:
    """The packages of the registry that a block installs."""
    lines = re.findall(r"^python -m pip install (.*)", text, re.M)
    words = [word.strip('"') for line in lines for word in line.split()]
    names = [word.partition("[")[0] for word in words if "/" not in word]
    return [name for name in names if "lintel" not in name]


def page_in_chromium(url: str, folder: Path) -> str:
    """The document of a page once its scripts have run."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}"]
    return subprocess.run(
        [
            str(services.program("chromium")),
            *options,
            "--virtual-time-budget=10000",
            "--dump-dom",
            url,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


def test_the_tutorial_runs_from_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "club").mkdir()
    with reader(tmp_path / "club") as follower:
        follower.hide(name for _, text in steps() for name in installed(text))
        for language, text in steps():
            if language == "shell":
                follower.install(installed(text))
            if language in {"python", "html"}:
                follower.write(text)
            elif language == "console":
                follower.run(text)
        follower.serve()
        for attempt in "abc":  # on a busy machine the time of the page ends before the response
            page = page_in_chromium(f"http://{follower.address}/", tmp_path / attempt)
            if found := re.findall("<li>(.*?)</li>", page):
                break
        assert found == ["M (1931)", "Metropolis (1927)"]
    assert list((tmp_path / "hidden").glob("*.py")) == []
