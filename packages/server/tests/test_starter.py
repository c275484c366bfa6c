"""``python -m lintel startproject``: the project is sound, and its tests pass on both databases."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connections

from lintel import __main__ as command

#: Django never closes a database of SQLite in memory, of which Python warns since 3.13.
STRICT = ["-W", "error", "-W", "ignore:unclosed database in <sqlite3:ResourceWarning"]


def run(folder: Path, *arguments: str, **environment: str) -> str:
    """What a command of this Python prints; it has to succeed, without a warning."""
    inherited = {
        name: text
        for name, text in os.environ.items()
        if name != "DJANGO_SETTINGS_MODULE" and not name.startswith(("LINTEL_", "PYTEST_"))
    }
    ended = subprocess.run(
        [sys.executable, *STRICT, *arguments],
        cwd=folder,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("starter")
    assert "shop/README.md" in run(folder, "-m", "lintel", "startproject", "shop")
    return folder / "shop"


def test_the_signing_key_is_private_and_not_djangos_insecure_one(project: Path) -> None:
    file = project / ".env"
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_text().partition("SECRET_KEY=")[2].strip()) >= 50
    assert "insecure" not in file.read_text()
    assert ".env" in (project / ".gitignore").read_text().splitlines()


def test_nothing_is_left_of_the_template(project: Path) -> None:
    files = [path for path in project.rglob("*") if path.is_file()]
    assert not [path for path in files if path.suffix == ".py-tpl"]
    assert not [path for path in files if "{{" in path.read_text()]
    assert "shop.asgi:application" in (project / "Dockerfile").read_text()


def test_the_checks_of_a_deployment_are_silent(project: Path) -> None:
    # They load the admin, here with hashed tokens and without plain ones.
    assert "lintel.authtoken" not in (project / "shop/settings.py").read_text()
    printed = run(project, "manage.py", "check", "--deploy", "--fail-level", "DEBUG")
    assert printed == "System check identified no issues (0 silenced).\n"


def test_operations_have_the_names_that_they_have_in_the_demo(project: Path) -> None:
    demo = Path(__file__).parents[3] / "examples/service/service/settings.py"
    for settings in (demo, project / "shop/settings.py"):
        assert '    "SCHEMA_COERCE_METHOD_NAMES": {},\n' in settings.read_text()


def test_the_description_of_the_command_has_the_title_of_the_project(project: Path) -> None:
    assert "  title: shop\n" in run(project, "manage.py", "generateschema", "--fail-on-warn")


def test_the_container_file_copies_what_the_readme_makes(project: Path) -> None:
    readme, lines = (project / "README.md").read_text(), (project / "Dockerfile").read_text()
    (made,) = re.findall(r"mkdir (\S+) && cp ~/lintel/wheels/\S+ \1/", readme)
    assert f"pip install {made}/*.whl -r requirements.txt" in readme
    copied = " ".join(re.findall(r"^COPY (.+) \S+$", lines, re.M)).split()
    missing = [source for source in copied if not (source == "." or list(project.glob(source)))]
    assert missing == [f"{made}*"]
    assert f'RUN pip install $(find {made} -name "*.whl") -r {made}/requirements.txt' in lines


def test_the_commands_of_the_container_file_run(project: Path, tmp_path: Path) -> None:
    kept = (project / ".dockerignore").read_text().splitlines()
    copied = tmp_path / "service"
    shutil.copytree(project, copied, ignore=shutil.ignore_patterns(*kept, "__pycache__"))
    assert not (copied / ".env").exists()
    lines = (copied / "Dockerfile").read_text()
    (key, arguments) = re.findall(r"^RUN SECRET_KEY=(\S+) python (.*?) *\\?$", lines, re.M)[0]
    assert "static files copied" in run(copied, *arguments.split(), SECRET_KEY=key)
    (server,) = re.findall(r'"(\w+\.asgi):application"', lines)
    run(copied, "-c", f"import {server}", SECRET_KEY=key)


def test_its_tests_pass_on_sqlite(project: Path) -> None:
    # Tests make the tables by migrations: models that these do not know would fail here.
    assert "\nOK\n" in run(project, "manage.py", "test")


@pytest.mark.parametrize("command", [["-m", "pytest"], ["-P", "-m", "pytest"]])
def test_its_tests_pass_under_pytest_as_it_stands(project: Path, command: list[str]) -> None:
    printed = run(project, *command, "-p", "no:cacheprovider", DEBUG="")
    assert re.search(r"\b1[0-9] passed\b", printed)
    assert "departure" not in printed
    # The plugin has seen the exchanges.
    assert re.search(r"\d\d exchanges; \d+ of \d+ operations", printed)


def test_only_pytest_makes_it_a_test(project: Path) -> None:
    look = "from shop.settings import DEBUG, SECURE_SSL_REDIRECT; print(DEBUG, SECURE_SSL_REDIRECT)"
    assert run(project, "-c", look).split() == ["False", "True"]
    assert run(project, "-c", look, PYTEST_VERSION="9").split() == ["True", "False"]


def test_its_tests_pass_on_postgresql(project: Path, postgresql: str) -> None:
    server = connections[postgresql].settings_dict
    place = f"{server['USER']}@{quote(server['HOST'], safe='')}"
    printed = run(project, "manage.py", "test", DATABASE_URL=f"postgresql://{place}/starter")
    assert "\nOK\n" in printed


def test_options_of_the_database_are_not_lost(project: Path) -> None:
    look = "from shop.settings import DATABASES; print(DATABASES['default']['OPTIONS'])"
    url = "postgresql://ada@db.example/shop?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem"
    printed = run(project, "-c", look, DATABASE_URL=url)
    options = {"connect_timeout": "3", "sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}
    assert ast.literal_eval(printed) == options


def test_a_cache_is_not_waited_for_and_former_keys_are_known(project: Path) -> None:
    look = (
        "from shop import settings;"
        "print([settings.CACHES['default']['OPTIONS'], settings.SECRET_KEY_FALLBACKS])"
    )
    printed = run(project, "-c", look, CACHE_URL="redis://c/0", SECRET_KEY_FALLBACKS="old, older")
    timeouts = {"socket_timeout": 2, "socket_connect_timeout": 2}
    assert ast.literal_eval(printed) == [timeouts, ["old", "older"]]


@pytest.mark.parametrize(
    "arguments", [[], ["startproject"], ["runserver", "x"], ["startproject", "--help"]]
)
def test_other_commands_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="usage: python -m lintel COMMAND"):
        command.main(arguments)


def test_the_name_of_its_app_is_taken() -> None:
    with pytest.raises(SystemExit, match="called notes"):
        command.main(["startproject", "notes"])
