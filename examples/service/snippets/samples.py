"""Sample data from real source code: the files of this repository, cut into pieces."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LANGUAGE_OF_SUFFIX = {
    ".py": "python",
    ".md": "markdown",
    ".toml": "toml",
    ".html": "html+django",
    ".css": "css",
    ".js": "javascript",
    ".ts": "typescript",
    ".sh": "bash",
}
FOLDERS = ("packages", "examples", "docs", "benchmarks", "tests")
#: A piece ends at the first blank line after this many lines.
LINES_OF_A_PIECE = 12


@dataclass(frozen=True, slots=True)
class Sample:
    """One piece of a file: its start, its text, its Pygments language."""

    title: str
    code: str
    language: str


def pieces(repository: Path) -> Iterator[Sample]:
    """Yield every source file of the repository, sorted by path, split at blank lines."""
    for path in sorted(source_files(repository)):
        name = path.relative_to(repository).as_posix()
        language = LANGUAGE_OF_SUFFIX[path.suffix]
        for first_line, code in cut(path.read_text(encoding="utf-8")):
            yield Sample(f"{name}:{first_line}"[-100:], code, language)


def source_files(repository: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (repository / folder).rglob("*"):
            if path.suffix in LANGUAGE_OF_SUFFIX and "node_modules" not in path.parts:
                yield path


def cut(text: str) -> Iterator[tuple[int, str]]:
    """Yield pairs of a line number, counted from 1, and the text that begins there."""
    piece: list[str] = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        piece.append(line)
        if len(piece) >= LINES_OF_A_PIECE and not line.strip():
            yield number - len(piece) + 1, "".join(piece)
            piece = []
    if "".join(piece).strip():
        yield len(text.splitlines()) - len(piece) + 1, "".join(piece)
