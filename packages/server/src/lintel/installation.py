"""Detects files of another distribution among those of this package.

The package registry has another project called ``lintel``, with the same import name and
a program of the same name. If both are installed in one environment, each overwrites files of the
other. This module imports nothing, so it works whatever was overwritten.
"""

from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent


def refuse_other_distribution(folder: Path = FOLDER) -> None:
    """Raise ImportError if another distribution has put files into ``folder``, this package.

    Looks at the records of the distributions called ``lintel`` beside the folder; the distribution
    of this package is called ``django-lintel``.
    """
    for metadata in sorted(folder.parent.glob("lintel-*.dist-info")):
        if _puts_files_into(folder.name, metadata):
            name, _, version = metadata.stem.partition("-")
            raise ImportError(
                f"{folder} holds files of another project: the distribution {name} {version}, "
                f"which is not django-lintel, and each has overwritten files of the other. Remove "
                f"both and install the right one: python -m pip uninstall {name} django-lintel "
                "lintel-client, then install django-lintel (and lintel-client, if you use it) "
                "again.",
                name="lintel",
            )


def _puts_files_into(package: str, metadata: Path) -> bool:
    try:
        record: Iterable[str] = (metadata / "RECORD").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith(f"{package}/") for line in record)
