"""The version of REST framework that a project ran on, and what has changed since."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from lintel.compatible import CHANGES, is_older
from lintel.settings import COMPATIBLE_VERSIONS, SETTINGS_NAME, api_settings

DISTRIBUTION = "djangorestframework"

#: Files that name versions of packages, those with exact versions first.
FILES = (
    *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"),
    *("*requirements*.txt", "requirements/*.txt", "constraints*.txt", "*requirements*.in"),
    *("requirements/*.in", "pyproject.toml", "Pipfile", "setup.cfg", "setup.py"),
)

_VERSION = r"(?P<version>\d+\.\d+(?:\.\d+)?)(?P<any>\.\*)?"
_OPERATOR = r"(?P<operator>===?|~=|>=|\^|~)?"
_PATTERNS = [
    re.compile(pattern.format(name=DISTRIBUTION, operator=_OPERATOR, version=_VERSION), re.I)
    for pattern in (
        r'name\s*=\s*"{name}"\s*version\s*=\s*"{operator}{version}',
        r'"{name}"\s*:\s*\{{[^}}]*"version"\s*:\s*"{operator}{version}',
        r"(?<![\w-]){name}\s*=\s*(?:\{{[^}}\n]*version\s*=\s*)?[\"']{operator}{version}",
        r"(?<![\w-]){name}\s*(?:\[[^]]*\])?\s*\(?(?=[=~>^]){operator}\s*{version}",
    )
]
_COMMENT = re.compile(r"(?:^|[ \t])#.*$", re.M)

#: From their lower bound, these lead no further than the last release of the same version.
_EXACT = ("==", "===", "~=", "", None)


@dataclass(frozen=True, slots=True)
class Pin:
    """A version, where it was found, and whether it is the only one that may be installed."""

    version: str
    source: str
    is_exact: bool

    @property
    def spoken(self) -> str:
        """The nearest of COMPATIBLE_VERSIONS."""
        result = ".".join(self.version.split(".")[:2])
        if result in COMPATIBLE_VERSIONS:
            return result
        return COMPATIBLE_VERSIONS[0 if _numbers(result) < _numbers("3.14") else -1]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def pin_of(folder: Path) -> Pin | None:
    """Return the version of the project in a folder: pinned exactly, else installed, else at least.

    Files are looked for in the folder and above it, up to the root of its repository.
    """
    pins = list(_pins(folder))
    exact = [pin for pin in pins if pin.is_exact]
    return next(iter([*exact, *_installed(), *pins]), None)


def _installed() -> Iterator[Pin]:
    for distribution in metadata.distributions(name=DISTRIBUTION):
        # lintel.dropin answers for the same name, with the version that lintel speaks.
        if isinstance(distribution, metadata.PathDistribution):
            yield Pin(distribution.version, "installed", is_exact=True)


def _pins(folder: Path) -> Iterator[Pin]:
    for place in _places(folder):
        for pattern in FILES:
            for file in sorted(place.glob(pattern)):
                yield from _pins_in(file)


def _places(folder: Path) -> list[Path]:
    places = [folder, *folder.parents]
    roots = [number for number, place in enumerate(places) if (place / ".git").exists()]
    return places[: roots[0] + 1] if roots else [folder]


def _pins_in(file: Path) -> Iterator[Pin]:
    try:
        text = _COMMENT.sub("", file.read_text(errors="replace"))
    except OSError:
        return
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield Pin(match["version"], file.name, _is_exact(match))


def _is_exact(match: re.Match[str]) -> bool:
    is_open = match["operator"] == "~=" and match["version"].count(".") == 1
    return match["operator"] in _EXACT and not is_open


# ---- what has changed ----


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the project keeps the answers that it gave, and what it does not keep."""

    is_kept: bool
    text: str
    details: tuple[str, ...] = ()


def compare(folder: Path) -> Comparison | None:
    """Compare the version of a project with COMPATIBLE_WITH; None if the project names none."""
    pin = pin_of(folder)
    speaks = api_settings.COMPATIBLE_WITH
    if pin is None or speaks not in COMPATIBLE_VERSIONS:
        return None
    named = f"{DISTRIBUTION} {pin.version} ({pin.source})"
    if is_older(speaks, pin.spoken):
        return Comparison(False, f"COMPATIBLE_WITH is {speaks}, and the project ran on {named}")
    changed, staying = list(_changed(pin.spoken, speaks)), list(_staying(pin.spoken))
    if not changed:
        return Comparison(True, f"answers are those of {named}", tuple(staying))
    advice = f'to keep them: {SETTINGS_NAME} = {{"COMPATIBLE_WITH": "{pin.spoken}"}}'
    text = f"the project ran on {named}; {len(changed)} answers have changed since"
    return Comparison(False, text, (*changed, advice, *staying))


def _changed(spoken: str, speaks: str) -> Iterator[str]:
    for name, change in CHANGES.items():
        is_between = is_older(spoken, change.since) and not is_older(speaks, change.since)
        if is_between and not change.stays:
            yield f"{name} ({change.since}): {change.before}; now {change.after}"


def _staying(spoken: str) -> Iterator[str]:
    names = [name for name, item in CHANGES.items() if item.stays and is_older(spoken, item.since)]
    if names:
        yield f"as in {COMPATIBLE_VERSIONS[-1]} in any case: {', '.join(names)}"
