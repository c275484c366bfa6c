"""Private files in one folder with mode 0700; files have 0600 and are replaced as a whole."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from lintel_client.cli.failures import Failure

__all__ = ["Folder"]


class Folder:
    """Reads and writes the files of a folder, which need not exist yet.

    Raises Failure for anything unusable.
    """

    def __init__(self, path: Path, parents: tuple[Path, ...] = ()) -> None:
        self.path = path
        self._private = (*parents, path)

    def content(self, name: str) -> bytes | None:
        """Return the content of a file, None if it does not exist."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise self._no_folder() from error

    def mapping(self, name: str) -> dict[str, Any]:
        """Return the JSON object in a file, empty if it does not exist."""
        content = self.content(name)
        if content is None:
            return {}
        try:
            stored = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self.damaged(name) from error
        if not isinstance(stored, dict):
            raise self.damaged(name)
        return stored

    def write_json(self, name: str, value: Any) -> None:
        self.write(name, json.dumps(value, ensure_ascii=False, indent=4).encode())

    def write(self, name: str, content: bytes) -> None:
        """Replace a file as a whole, so that an interruption leaves the old content."""
        try:
            self._private[0].parent.mkdir(parents=True, exist_ok=True)
            for folder in self._private:
                folder.mkdir(mode=0o700, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise self._no_folder() from error
        # A temporary file is private from the start, and so is the final file.
        descriptor, temporary = tempfile.mkstemp(dir=self.path, prefix=f".{name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, self.path / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def remove(self, *names: str) -> None:
        """Remove files that exist."""
        for name in names:
            try:
                (self.path / name).unlink(missing_ok=True)
            except NotADirectoryError as error:
                raise self._no_folder() from error

    def damaged(self, name: str) -> Failure:
        """Return the error for a file that cannot be read."""
        return Failure(f"{self.path / name} is damaged: remove it, or run: lintel clear")

    def _no_folder(self) -> Failure:
        return Failure(
            f"{self.path} is not a folder. lintel keeps its state there: move the file away, or "
            "name another folder in LINTEL_CONFIG_DIR"
        )
