"""``release.py check`` builds and tests a release; ``version`` sets the version.

``check`` builds the sdists and wheels of the five distributions and the npm package, checks that a
second build has the same bytes, checks their metadata, contents and types, installs them into an
empty environment and runs the quickstart there. It writes what that environment contains to
``build/lintel.cdx.json``, a bill of materials (CycloneDX 1.6).
``version 0.2.0`` writes a version to all places that contain one; ``VERSION`` is the one that the
tests compare the others with.
"""

from __future__ import annotations

import email
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = sorted(path.parent for path in REPOSITORY.glob("packages/*/pyproject.toml"))
JAVASCRIPT = REPOSITORY / "packages" / "javascript"
VERSION = REPOSITORY / "VERSION"
MATERIALS = REPOSITORY / "build" / "lintel.cdx.json"

#: Reads the packages of an environment into a bill of materials.
CYCLONEDX = "cyclonedx-bom>=7,<8"

#: Where versions are written: the path, and the text around the version there.
PLACES: dict[str, list[str]] = {
    **{
        f"packages/{package.name}/pyproject.toml": [
            r'(?m)^(version = ")([^"]+)(")',
            r'("lintel-[a-z]+==)([^"]+)(")',
        ]
        for package in PACKAGES
    },
    "packages/client/src/lintel_client/version.py": [r'(__version__ = ")([^"]+)(")'],
    "packages/javascript/src/version.ts": [r'(VERSION = ")([^"]+)(")'],
    "package.json": [r'(?m)(^  "version": ")([^"]+)(")'],
    "packages/javascript/package.json": [r'(?m)(^  "version": ")([^"]+)(")'],
    "packages/javascript/package-lock.json": [
        r'("name": "lintel-client",\n +"version": ")([^"]+)(")'
    ],
}

#: The share of the typed surface that a checker must know without inference, in per cent. Most of
#: what the server lacks are attributes of classes that their base class declares.
COMPLETE = 98
COMPLETE_OF = {"lintel": 85}

#: Fields that each distribution fills in.
METADATA = ("Name", "Version", "Summary", "License-Expression", "Requires-Python", "Author")
CLASSIFIER = "Typing :: Typed"

#: Run in the empty environment: the README's examples that need no server.
QUICKSTART = """
import json, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "mysite.settings"
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("migrate", verbosity=0)
User.objects.create_superuser("ada", password="secret")
from lintel.test import APIClient
client = APIClient()
assert client.get("/users/").status_code == 403, "anonymous callers are refused"
client.login(username="ada", password="secret")
found = client.get("/users/")
assert found.status_code == 200, found.status_code
assert found.json() == [{"id": 1, "username": "ada", "is_staff": True}], found.json()
page = client.get("/users/", HTTP_ACCEPT="text/html")
assert page.status_code == 200 and b"<html" in page.content
print("the quickstart answers", json.dumps(found.json()))
"""


def versions() -> Iterator[tuple[str, str]]:
    """Return each place with its version."""
    for name, patterns in PLACES.items():
        text = (REPOSITORY / name).read_text()
        for pattern in patterns:
            for found in re.findall(pattern, text):
                yield name, found[1]


def set_version(version: str) -> None:
    """Write a version to all places."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        raise SystemExit(f"{version!r} is not a version such as 0.2.0 or 0.2.0rc1")
    for name, patterns in PLACES.items():
        path = REPOSITORY / name
        text = path.read_text()
        for pattern in patterns:
            text = re.sub(pattern, rf"\g<1>{version}\g<3>", text)
        path.write_text(text)
    VERSION.write_text(f"{version}\n")
    print(f"{version} is written; build the JavaScript client anew and add it to CHANGELOG.md")


def run(*command: str | Path, cwd: Path = REPOSITORY, env: dict[str, str] | None = None) -> str:
    """The output of a command. Raises SystemExit with what it printed if it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        printed = f"{done.stdout}\n{done.stderr}".strip()
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{printed}")
    return done.stdout


def build(folder: Path) -> list[Path]:
    """Build the sdists and wheels of all distributions; each wheel is made from its sdist."""
    for package in PACKAGES:
        run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=package)
    for archive in sorted(folder.glob("*.tar.gz")):
        with tempfile.TemporaryDirectory() as unpacked, tarfile.open(archive) as files:
            files.extractall(unpacked, filter="data")
            (source,) = Path(unpacked).iterdir()
            run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != len(PACKAGES):
        raise SystemExit(f"{len(PACKAGES)} wheels were expected: {wheels}")
    return wheels


def compare_builds(first: Path, second: Path) -> None:
    """Raise SystemExit if two folders hold different files, or other bytes in one of them."""
    digests = [
        {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if path.name.endswith((".whl", ".tar.gz"))
        }
        for folder in (first, second)
    ]
    names = sorted(name for name, _ in digests[0].items() ^ digests[1].items())
    if names:
        raise SystemExit(f"a second build differs: {', '.join(dict.fromkeys(names))}")
    print(f"a second build of {len(digests[0])} archives has the same bytes")


def write_materials(programs: Path, folder: Path) -> None:
    """Write what is installed in an environment to :data:`MATERIALS`."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(
        python, "-m", "pip", "--disable-pip-version-check", "install", "-q", CYCLONEDX, env=_clean()
    )
    MATERIALS.parent.mkdir(exist_ok=True)
    command = [folder / "bin" / "cyclonedx-py", "environment", programs / "python"]
    run(*command, "--output-reproducible", "--spec-version", "1.6", "-o", MATERIALS, env=_clean())
    names = {each["name"] for each in json.loads(MATERIALS.read_text())["components"]}
    missing = {"django-lintel", "Django", "orjson"} - names
    if missing:
        raise SystemExit(f"the bill of materials lacks {sorted(missing)}")
    print(f"{MATERIALS.relative_to(REPOSITORY)}: {len(names)} packages")


def look_into(wheel: Path, version: str) -> list[str]:
    """Return what is wrong with the metadata and the contents of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (place,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(place))
    wrong = [f"no {field}" for field in METADATA if not metadata[field]]
    if metadata["Version"] != version:
        wrong.append(f"version {metadata['Version']} in place of {version}")
    if CLASSIFIER not in metadata.get_all("Classifier", []):
        wrong.append(f"no classifier {CLASSIFIER!r}")
    if not metadata.get_payload():
        wrong.append("no description")
    if not any(name.endswith("/licenses/LICENSE") for name in names):
        wrong.append("no licence")
    if not any(name.endswith("/py.typed") for name in names):
        wrong.append("no py.typed")
    strange = [
        name for name in names if re.search(r"(^|/)(tests?_|tests/|conftest|__pycache__)", name)
    ]
    return [f"{wheel.name}: {one}" for one in wrong + [f"holds {name}" for name in strange]]


def judge_types() -> None:
    """Have pyright measure the completeness of each package's types, and check project code."""
    run(sys.executable, "-m", "pyright", "tests/typing_use.py", env=_with_sources())
    for package in PACKAGES:
        (module,) = [path.name for path in (package / "src").iterdir() if path.is_dir()]
        command = [sys.executable, "-m", "pyright", "--verifytypes", module, "--ignoreexternal"]
        found = subprocess.run(
            command,
            cwd=REPOSITORY,
            env=_with_sources(),
            capture_output=True,
            text=True,
            check=False,
        )
        score = re.search(r"completeness score: ([\d.]+)%", found.stdout)
        if score is None or float(score[1]) < COMPLETE_OF.get(module, COMPLETE):
            raise SystemExit(f"{module} has too few types:\n{found.stdout}{found.stderr}")
        print(f"{module}: {score[1]} % of its surface is typed")


def _with_sources() -> dict[str, str]:
    """The environment in which pyright finds the sources, and what this interpreter has."""
    sources = [str(package / "src") for package in PACKAGES]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sources), "PATH": path}


def make_environment(folder: Path, wheels: list[Path]) -> Path:
    """An empty environment with the wheels in it; its folder of programs."""
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    extras = {"lintel_client": "[cli]", "django_lintel": "[openapi,markdown]"}
    named = [f"{wheel}{extras.get(wheel.name.partition('-')[0], '')}" for wheel in wheels]
    run(*pip, "-c", REPOSITORY / "constraints.txt", *named, env=_clean())
    return folder / "bin"


def _clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def try_quickstart(programs: Path, folder: Path) -> None:
    """Do what the README says under "Start a project", then ask the project for its users."""
    run(programs / "python", "-m", "django", "startproject", "mysite", folder, cwd=folder)
    readme = (REPOSITORY / "README.md").read_text()
    urls = re.findall(r"```python\n(# urls\.py\n.*?)```", readme, re.DOTALL)
    if len(urls) != 1:
        raise SystemExit("README.md has no single urls.py under its quickstart")
    (folder / "mysite" / "urls.py").write_text(urls[0])
    settings = folder / "mysite" / "settings.py"
    settings.write_text(
        settings.read_text() + 'INSTALLED_APPS += ["lintel"]\nALLOWED_HOSTS = ["testserver"]\n'
    )
    run(programs / "python", "manage.py", "check", cwd=folder, env=_clean())
    print(run(programs / "python", "-c", QUICKSTART, cwd=folder, env=_clean()).strip())


def try_client(programs: Path) -> None:
    """Check that the command line starts, and finds the codecs."""
    print(run(programs / "lintel", "--version", env=_clean()).strip())
    codecs = run(programs / "lintel", "codecs", "show", env=_clean())
    missing = [name for name in ("openapi", "hal", "jsonhyperschema") if name not in codecs]
    if missing:
        raise SystemExit(f"lintel codecs show lacks {missing}:\n{codecs}")


def try_contract(programs: Path, folder: Path) -> None:
    """Check that two descriptions are compared, without Django's settings."""
    for name in ("old", "new"):
        paths = {f"/{name}/": {"get": {"responses": {}}}}
        (folder / f"{name}.json").write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
    command = [programs / "python", "-m", "lintel_contract", "old.json", "new.json"]
    found = run(*command, cwd=folder, env=_clean()).splitlines()[-1]
    if found != "1 breaking, 0 risky, 1 harmless":
        raise SystemExit(f"lintel-contract compares wrongly: {found}")
    print(f"lintel-contract finds {found}")


def try_javascript(folder: Path, version: str) -> None:
    """Pack the npm package, install it into an empty folder, and import it."""
    packed = json.loads(run("npm", "pack", "--json", "--pack-destination", folder, cwd=JAVASCRIPT))
    (package,) = packed
    names = {each["path"] for each in package["files"]}
    wanted = {"LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts"}
    if wanted - names or any(name.startswith(("src/", "tests/")) for name in names):
        raise SystemExit(f"the npm package holds the wrong files: {sorted(names)}")
    project = folder / "npm"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "type": "module"}')
    archive = folder / package["filename"]
    run("npm", "install", "--silent", "--no-audit", "--no-fund", archive, cwd=project)
    script = "import('lintel-client').then(({ VERSION }) => console.log(VERSION))"
    found = run("node", "-e", script, cwd=project).strip()
    if found != version:
        raise SystemExit(f"the npm package says that it is {found}, not {version}")
    print(f"npm lintel-client {found}: {package['size'] // 1024} kB, {len(names)} files")


def check() -> None:
    """Raise SystemExit with everything that is wrong with the release."""
    version = VERSION.read_text().strip()
    wrong = [f"{name} says {found}" for name, found in versions() if found != version]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dist").mkdir()
        wheels = build(folder / "dist")
        (folder / "again").mkdir()
        build(folder / "again")
        compare_builds(folder / "dist", folder / "again")
        for wheel in wheels:
            print(f"{wheel.name}: {wheel.stat().st_size // 1024} kB")
            wrong += look_into(wheel, version)
        if wrong:
            raise SystemExit("\n".join(wrong))
        judge_types()
        programs = make_environment(folder / "empty", wheels)
        (folder / "project").mkdir()
        try_quickstart(programs, folder / "project")
        try_client(programs)
        try_contract(programs, folder)
        try_javascript(folder, version)
        write_materials(programs, folder / "cyclonedx")
    print(f"{version} can be released")


def main() -> None:
    match sys.argv[1:]:
        case ["check"]:
            check()
        case ["version", version]:
            set_version(version)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
