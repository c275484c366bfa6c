"""``python tools/compare.py PYTHON``: compare lintel's responses with Django REST framework's.

Makes variations of the recorded exchanges of the contract (another method, path, header or body)
and sends them to the sample project twice: with lintel, and with the ``rest_framework`` that the
interpreter PYTHON finds, as a black box. Prints where status, headers or body differ. Details that
the contract leaves open are ignored: the content of pages, the order of keys and of methods in
``Allow``, cursors, and requests that end in a 500 there.

    python -m venv /tmp/other
    /tmp/other/bin/pip install djangorestframework==3.18.3 Django==5.2.19 PyYAML inflection
    python tools/compare.py /tmp/other/bin/python --sample 20000
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import compare_requests

TESTS = Path(__file__).resolve().parents[1] / "packages" / "server" / "tests"
CASES = TESTS / "contract" / "http_cases.json"
DIFFERENCES = TESTS / "contract" / "differences.json"
FILES_IN_MEMORY = {
    "default": {"BACKEND": "django.core.files.storage.memory.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
UNTOLD = {"Date", "Expires"}
OPEN = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{40}\b|0x[0-9a-f]+"  # made by chance
    r"|(?<=[?&])c(ursor)?=[\w%-]+"
    r"|(?<=\"Api Root\",)\s*\"description\": ?\"[^\"]*\""
)

Facts = dict[str, Any]


def main() -> int:
    """Compare, or act as one of the two sides."""
    if sys.argv[1:2] == ["--answer"]:
        answer(sys.argv[2], Path(sys.argv[3]))
        return 0
    options = parser().parse_args()
    cases = list(chosen(options))
    with tempfile.TemporaryDirectory() as folder:
        theirs = start(options.python, "rest_framework", renamed_project(Path(folder)))
        ours = start(Path(sys.executable), "lintel", TESTS)
        found = compared(cases, theirs, ours)
    return report(found, len(cases), options.limit)


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    command.add_argument("python", type=Path, help="interpreter that has djangorestframework")
    command.add_argument("--axis", choices=[*compare_requests.AXES, "several"], action="append")
    command.add_argument("--sample", type=int, default=10_000, help="sequences in all")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--limit", type=int, default=3, help="shown of each kind of difference")
    return command


# ---- what is sent ----


def chosen(options: argparse.Namespace) -> Iterator[Facts]:
    """Return sequences of requests, each recorded, with the last request changed."""
    chance = random.Random(options.seed)
    axes = options.axis or [*compare_requests.AXES, "several"]
    recorded = [case for case in plain_cases() if "path" in case["steps"][-1]]
    for _ in range(options.sample):
        case = chance.choice(recorded)
        *before, last = case["steps"]
        axis = chance.choice(axes)
        if axis == "several":
            last = compare_requests.several(last, chance)
        else:
            last = chance.choice(list(compare_requests.AXES[axis](last)))
        yield {**case, "steps": [*before, last]}


def plain_cases() -> Iterator[Facts]:
    """Return the recorded cases without startup settings and without differences of ours."""
    known = json.loads(DIFFERENCES.read_text())
    for case in json.loads(CASES.read_text())["cases"]:
        if "boot_api_settings" not in case and case["id"] not in known:
            case["settings"] = {**case.get("settings", {}), "STORAGES": FILES_IN_MEMORY}
            yield {**case, "steps": [with_defaults(step) for step in case["steps"]]}


def with_defaults(step: Facts) -> Facts:
    if "action" in step:
        return step
    told = {key: item for key, item in step.items() if key != "response"}
    return {"headers": {}, "environ": {}, **told}


# ---- two sides ----


def renamed_project(folder: Path) -> Path:
    """A copy of the sample project that imports ``rest_framework``."""
    shutil.copytree(TESTS / "contract_project", folder / "contract_project")
    for module in folder.rglob("*.py"):
        module.write_text(re.sub(r"\blintel\b", "rest_framework", module.read_text()))
    return folder


def start(python: Path, package: str, project: Path) -> subprocess.Popen[str]:
    command = [str(python), __file__, "--answer", package, str(project)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def answer(package: str, project: Path) -> None:
    """Respond to sequences of requests, one line of JSON each, until the input ends."""
    sys.path.insert(0, str(TESTS))
    from contract_replay import http, target

    target.use(target.Target(package, "REST_FRAMEWORK", project))
    target.start()
    http.logging.disable(http.logging.CRITICAL)
    for line in sys.stdin:
        print(json.dumps(exchange(http, json.loads(line))), flush=True)


def exchange(http: Any, case: Facts) -> list[Facts]:
    from django.test import Client
    from django.utils import translation

    csrf = case.get("csrf_checks", False)
    client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
    answers: list[Facts] = []
    translation.deactivate()
    with http.isolation.fresh(case), http.warnings.catch_warnings():
        http.warnings.simplefilter("ignore")
        for step in case["steps"]:
            if "action" in step:
                http.ACTIONS[step["action"]](client, step)
            else:
                answers.append(answered(http, client, step, http.followed(step, answers)))
    return answers


def answered(http: Any, client: Any, step: Facts, path: str) -> Facts:
    try:
        return described(http.send(client, step, path))
    except Exception as error:  # Django itself stumbles over some requests, before any view
        return {"status": 500, "cookies": [], "text": type(error).__name__, "json": None}


def described(response: Any) -> Facts:
    """Return the compared parts of a response, and its JSON for requests that follow a link."""
    content = b"".join(response) if response.streaming else response.content
    text = content.decode("utf-8", "backslashreplace")
    headers = {name.title(): value for name, value in response.items() if name not in UNTOLD}
    if headers.get("Content-Type", "").startswith("text/html") and "<html" in text:
        headers.pop("Content-Length", None)
        text = "(page)"
    if "Allow" in headers:
        headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    cookies = sorted(response.cookies)
    return {
        "status": response.status_code,
        **headers,
        "cookies": cookies,
        "text": text,
        "json": data,
    }


# ---- comparison ----


def compared(
    cases: list[Facts], theirs: subprocess.Popen[str], ours: subprocess.Popen[str]
) -> dict[str, list[str]]:
    """Return the differences by kind: the case and both sides, for people."""
    found: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        sides = [asked(side, case) for side in (theirs, ours)]
        for number, (their, our) in enumerate(zip(*sides, strict=True)):
            kind = difference(their, our)
            if kind:
                found[kind].append(told(case, number, their, our))
                break
    for side in (theirs, ours):
        side.communicate()
    return found


def asked(side: subprocess.Popen[str], case: Facts) -> list[Facts]:
    assert side.stdin is not None
    assert side.stdout is not None
    side.stdin.write(json.dumps(case) + "\n")
    side.stdin.flush()
    line = side.stdout.readline()
    if not line:
        sys.exit(side.communicate()[1])
    answers: list[Facts] = json.loads(line)
    return answers


def difference(their: Facts, our: Facts) -> str:
    """Return the names of what differs, without permitted differences."""
    if their["status"] == 500:
        return ""
    names = {*their, *our} - {"text", "json"}
    differing = sorted(name for name in names if their.get(name) != our.get(name))
    if masked(their["text"]) != masked(our["text"]) and not same_json(their, our):
        differing.append("text")
    return ", ".join(differing)


def masked(text: str) -> str:
    return OPEN.sub("", text)


def same_json(their: Facts, our: Facts) -> bool:
    sides = [json.dumps(side["json"], sort_keys=True) for side in (their, our)]
    return their["json"] is not None and masked(sides[0]) == masked(sides[1])


def told(case: Facts, number: int, their: Facts, our: Facts) -> str:
    step = [step for step in case["steps"] if "action" not in step][number]
    sides = [
        {
            name: side.get(name)
            for name in {*their, *our} - {"json"}
            if their.get(name) != our.get(name)
        }
        for side in (their, our)
    ]
    lines = [json.dumps(step)[:600], *(str(side)[:600] for side in sides)]
    return "\n    ".join([case["id"], *lines])


def report(found: dict[str, list[str]], total: int, limit: int) -> int:
    for kind, places in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"\n{kind}: {len(places)}")
        for place in places[:limit]:
            print(f"  {place}")
    print(f"\n{total} sequences, {sum(map(len, found.values()))} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
