"""A distribution of another project with the same name is detected and named."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lintel import installation
from lintel.installation import refuse_other_distribution

OURS = installation.FOLDER


def install_other(folder: Path, *files: str) -> Path:
    """A folder of packages where a distribution called lintel is recorded with some files."""
    metadata = folder / "lintel-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "RECORD").write_text("".join(f"{name},sha256=x,1\n" for name in files))
    package = folder / "lintel"
    package.mkdir(exist_ok=True)
    return package


def test_an_environment_without_the_other_project_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "django_lintel-0.1.0.dist-info").mkdir()
    (tmp_path / "lintel_client-0.1.0.dist-info").mkdir()
    refuse_other_distribution(tmp_path / "lintel")


def test_a_distribution_of_the_name_without_files_here_is_accepted(tmp_path: Path) -> None:
    refuse_other_distribution(install_other(tmp_path, "elsewhere/__init__.py"))


def test_a_distribution_without_a_readable_record_is_accepted(tmp_path: Path) -> None:
    package = install_other(tmp_path)
    (tmp_path / "lintel-0.1.0.dist-info" / "RECORD").write_bytes(b"lintel/\xff")
    refuse_other_distribution(package)


def test_the_other_project_is_named_with_what_to_do(tmp_path: Path) -> None:
    package = install_other(tmp_path, "lintel/__init__.py", "lintel/checks/__init__.py")
    with pytest.raises(ImportError) as found:
        refuse_other_distribution(package)
    assert "the distribution lintel 0.1.0, which is not django-lintel" in str(found.value)
    assert "pip uninstall lintel django-lintel lintel-client" in str(found.value)
    assert str(package) in str(found.value)


@pytest.mark.parametrize(
    ("statement", "is_ours"),
    [
        ("import lintel", True),
        ("from lintel import dropin", False),
        ("import lintel.apps", False),
    ],
)
def test_imports_say_so_whichever_came_last(tmp_path: Path, statement: str, is_ours: bool) -> None:
    package = install_other(tmp_path, "lintel/__init__.py")
    for path in OURS.glob("*.py"):
        shutil.copy(path, package)
    if not is_ours:
        (package / "__init__.py").write_text('"""Another project."""\n')
    done = subprocess.run(
        [sys.executable, "-c", statement],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "which is not django-lintel" in done.stderr
