"""The version that a project ran on, and what the doctor says of it."""

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from django.test.utils import override_settings

from lintel import dropin, pinned


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "distributions", lambda name: [])


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    def written(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_txt", ".txt")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path

    return written


def found_in(folder: Path, name: str, text: str) -> tuple[str, bool] | None:
    (folder / name).write_text(text)
    pin = pinned.pin_of(folder)
    return None if pin is None else (pin.version, pin.is_exact)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("djangorestframework==3.15.2", ("3.15.2", True)),
        ("DjangoRestFramework == 3.15.2 ; python_version > '3.8'", ("3.15.2", True)),
        ("djangorestframework[extra]==3.16.0 \\\n    --hash=sha256:ab", ("3.16.0", True)),
        ("djangorestframework===3.14.0", ("3.14.0", True)),
        ("djangorestframework==3.17.*", ("3.17", True)),
        ("djangorestframework~=3.17.1", ("3.17.1", True)),
        ("djangorestframework~=3.14", ("3.14", False)),
        ("djangorestframework>=3.14,<3.16", ("3.14", False)),
        ("djangorestframework", None),
        ("djangorestframework<3.16", None),
        ("# djangorestframework==3.14.0", None),
        ("django-filter==25.1  # needs djangorestframework==3.14.0", None),
        ("djangorestframework-simplejwt==5.3.1", None),
        ("my-djangorestframework==3.14.0", None),
        ("djangorestframework @ file:///srv/wheels", None),
        ("", None),
        ("\0\xff djangorestframework==x", None),
    ],
)
def test_requirements(tmp_path: Path, line: str, found: tuple[str, bool] | None) -> None:
    assert found_in(tmp_path, "requirements.txt", f"django==5.2\n{line}\n") == found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["djangorestframework>=3.15"]', "3.15"),
        ("pyproject.toml", '[tool.poetry.dependencies]\ndjangorestframework = "^3.16"', "3.16"),
        ("pyproject.toml", 'djangorestframework = {version = "~3.14.0", extras = []}', "3.14.0"),
        ("Pipfile", '[packages]\ndjangorestframework = "==3.15.1"', "3.15.1"),
        (
            "Pipfile.lock",
            '{"djangorestframework": {\n "hashes": ["a"],\n "version": "==3.15.2"}}',
            "3.15.2",
        ),
        ("uv.lock", '[[package]]\nname = "djangorestframework"\nversion = "3.16.1"', "3.16.1"),
        ("poetry.lock", 'name = "djangorestframework"\nversion = "3.17.0"\n', "3.17.0"),
        ("setup.py", "install_requires=['djangorestframework>=3.14.0']", "3.14.0"),
        ("setup.cfg", "install_requires =\n    djangorestframework==3.16.0", "3.16.0"),
    ],
)
def test_other_files(tmp_path: Path, name: str, text: str, found: str) -> None:
    pin = found_in(tmp_path, name, text)
    assert pin is not None
    assert pin[0] == found


def test_exact_pins_come_before_open_ones(project: Callable[..., Path]) -> None:
    folder = project(
        requirements_txt="djangorestframework>=3.14",
        requirements__base_txt="djangorestframework==3.16",
    )
    assert pinned.pin_of(folder) == pinned.Pin("3.16", "base.txt", is_exact=True)


def test_what_is_installed_comes_before_open_pins(
    project: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(requirements_txt="djangorestframework>=3.14")
    place = folder / "djangorestframework-3.17.2.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Name: djangorestframework\nVersion: 3.17.2\n")
    found = [dropin.ApiVersion(), metadata.Distribution.at(place)]
    monkeypatch.setattr(metadata, "distributions", lambda name: found)
    assert pinned.pin_of(folder) == pinned.Pin("3.17.2", "installed", is_exact=True)


def test_files_above_are_read_up_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("djangorestframework==3.14.0")
    inner = tmp_path / "repository" / "backend"
    inner.mkdir(parents=True)
    assert pinned.pin_of(inner) is None
    (inner.parent / ".git").mkdir()
    assert pinned.pin_of(inner) is None
    (inner.parent / "requirements-dev.txt").write_text("djangorestframework==3.16.1")
    assert pinned.pin_of(inner) == pinned.Pin("3.16.1", "requirements-dev.txt", is_exact=True)


def test_folders_in_place_of_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").mkdir()
    assert pinned.pin_of(tmp_path) is None


@pytest.mark.parametrize(
    ("version", "spoken"),
    [("3.9.4", "3.14"), ("2.4", "3.14"), ("3.14.0", "3.14"), ("3.18.3", "3.18"), ("4.0", "3.18")],
)
def test_the_nearest_version_is_spoken(version: str, spoken: str) -> None:
    assert pinned.Pin(version, "requirements.txt", is_exact=True).spoken == spoken


# ---- what the doctor says ----


def test_changes_are_listed_with_the_setting(project: Callable[..., Path]) -> None:
    found = pinned.compare(project(requirements_txt="djangorestframework~=3.17.1"))
    assert found is not None
    assert not found.is_kept
    assert found.text == (
        "the project ran on djangorestframework 3.17.1 (requirements.txt); "
        "7 answers have changed since"
    )
    assert found.details[0].startswith("list-errors (3.18): errors of a list are a list")
    assert 'to keep them: REST_FRAMEWORK = {"COMPATIBLE_WITH": "3.17"}' in found.details
    assert "big-integers" not in "".join(found.details)
    assert found.details[-1].startswith("as in 3.18 in any case: form-dictionaries, ")


def test_a_setting_that_fits_is_fine(project: Callable[..., Path]) -> None:
    folder = project(requirements_txt="djangorestframework==3.16.1")
    with override_settings(REST_FRAMEWORK={"COMPATIBLE_WITH": "3.16"}):
        found = pinned.compare(folder)
    assert found is not None
    assert found.is_kept
    assert found.text == "answers are those of djangorestframework 3.16.1 (requirements.txt)"


def test_a_setting_on_the_way_lists_what_it_gave_up(project: Callable[..., Path]) -> None:
    folder = project(requirements_txt="djangorestframework==3.16.1")
    with override_settings(REST_FRAMEWORK={"COMPATIBLE_WITH": "3.17"}):
        found = pinned.compare(folder)
    assert found is not None
    names = [line.split()[0] for line in found.details]
    assert names[:3] == ["big-integers", "multiple-choices", "constraint-messages"]
    assert "list-errors" not in names


def test_an_older_setting_is_pointed_out(project: Callable[..., Path]) -> None:
    folder = project(requirements_txt="djangorestframework==3.17.1")
    with override_settings(REST_FRAMEWORK={"COMPATIBLE_WITH": "3.14"}):
        found = pinned.compare(folder)
    assert found is not None
    assert not found.is_kept
    assert found.text.startswith("COMPATIBLE_WITH is 3.14, and the project ran on ")


def test_nothing_is_said_without_a_version(tmp_path: Path) -> None:
    assert pinned.compare(tmp_path) is None


@pytest.mark.parametrize("value", ["3", None, ["3.17"]])
def test_a_mistaken_setting_is_left_to_the_check(
    project: Callable[..., Path], value: object
) -> None:
    with override_settings(REST_FRAMEWORK={"COMPATIBLE_WITH": value}):
        assert pinned.compare(project(requirements_txt="djangorestframework==3.17.1")) is None
