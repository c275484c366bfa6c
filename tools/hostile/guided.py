"""``python -m hostile.guided``: change inputs, guided by what they reach (libFuzzer, by atheris).

Each target runs in a process of its own, with a limit of time and memory for each input. What it
found interesting then goes to both packages once more, and the table says what each made of it.
Ends with 1 if a target raised what clients are not answered with, hung, or took too much memory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostile.inputs import MEDIA, WORDS, made
from hostile.keeping import KEPT
from hostile.rounds import TOOLS

NAMES = (
    *("JSON parser", "form parser", "multipart parser", "cursors", "Accept", "Authorization"),
    *("fields", "rows", "search, ordering", "nested forms", "patches", "OpenAPI", "HAL"),
    *("JSON Hyper-Schema", "Core JSON"),
)
#: Seconds and megabytes of one input, and its most bytes.
BOUNDS = ["-timeout=5", "-rss_limit_mb=1500", "-max_len=4096", "-print_final_stats=1"]
EXECUTED = re.compile(r"stat::number_of_executed_units: +(\d+)")
#: Kinds of requests whose bodies a target begins with; the others begin with words.
BEGINNINGS = {
    "JSON parser": "JSON texts",
    "rows": "JSON values",
    "form parser": "forms",
    "multipart parser": "multipart",
    "nested forms": "nested forms",
    "patches": "patches",
}
DESCRIPTIONS = TOOLS.parent / "tests" / "data" / "client_cases.json"


def main() -> int:
    options, bounds = parser().parse_known_args()
    if options.inside:
        mutate(options.inside, options.folder, bounds)
    if options.answer:
        print(json.dumps(answered(options.answer, options.folder)))
        return 0
    names = options.target or list(NAMES)
    seconds = max(options.seconds // len(names), 1)
    print(f"seed {options.seed}")
    print("| target | inputs | kept | lintel: taken, refused, failed | Django REST framework |")
    print("| --- | --- | --- | --- | --- |", flush=True)
    faults = [fault for name in names for fault in row(name, options.seed, seconds)]
    print("\n".join(faults))
    return 1 if faults else 0


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="hostile.guided", description=__doc__)
    command.add_argument("--seconds", type=int, default=300)
    command.add_argument("--seed", type=int, default=random.randrange(1, 2**31))
    command.add_argument("--target", action="append", choices=NAMES)
    command.add_argument("--inside", choices=NAMES, help=argparse.SUPPRESS)
    command.add_argument("--answer", choices=NAMES, help=argparse.SUPPRESS)
    command.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return command


def row(name: str, seed: int, seconds: int) -> list[str]:
    """Change inputs of one target, and print what came of it; return what failed."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        put_beginnings(name, seed, folder)
        bounds = [*BOUNDS, f"-seed={seed}", f"-max_total_time={seconds}"]
        bounds.append(f"-artifact_prefix={folder.parent}/{folder.name}-failed-")
        run = process("lintel", ["--inside", name, "--folder", place, *bounds])
        told = EXECUTED.search(run.stderr)
        failed = sorted(folder.parent.glob(f"{folder.name}-failed-[!s]*"))  # not "slow-unit"
        kept = [keep(name, each.read_bytes()) for each in failed]
        for each in failed:
            each.rename(folder / each.name)
        ours, theirs = (cell(name, place, side) for side in ("lintel", "rest_framework"))
        count = f"{int(told[1]):,}" if told else "?"
        print(
            f"| {name} | {count} | {len(list(folder.iterdir())):,} | {ours} | {theirs} |",
            flush=True,
        )
    if run.returncode and not kept:
        return [f"{name}: {run.stderr[-3000:]}"]
    return [f"{place}\n{run.stderr[-1500:]}" for place in kept]


def process(package: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hostile.guided", *arguments],
        env={**os.environ, "PYTHONPATH": str(TOOLS), "FUZZED": package},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def cell(name: str, place: str, package: str) -> str:
    run = process(package, ["--answer", name, "--folder", place])
    if run.returncode:
        return run.stderr.strip().splitlines()[-1][:200]
    counts = json.loads(run.stdout)
    return ", ".join(f"{counts[key]:,}" for key in ("taken", "refused", "failed")) if counts else ""


def put_beginnings(name: str, seed: int, folder: Path) -> None:
    """Files that changes begin with."""
    if name in ("OpenAPI", "HAL", "JSON Hyper-Schema", "Core JSON"):
        found = [text[:4096] for text in descriptions(name)]
    elif name in BEGINNINGS:
        found = [made(BEGINNINGS[name], seed, number).body for number in range(100)]
    else:
        words = [*WORDS, *MEDIA, "Token abc", "Basic YTpi", "cD0x", "bz0xJnA9Mg==", "cj0x"]
        found = [word.encode("utf-8", "surrogatepass") for word in words]
    for number, content in enumerate(found):
        (folder / f"beginning-{number}").write_bytes(content)


def descriptions(name: str) -> Iterator[bytes]:
    """The recorded descriptions, written in the format of a target where its codec writes."""
    from hostile.formats import codecs
    from lintel_document import EncodeError

    codec, openapi = codecs()[name], codecs()["OpenAPI"]
    for case in json.loads(DESCRIPTIONS.read_text())["cases"][:50]:
        content = json.dumps(case["doc"]).encode()
        try:
            yield content if name == "OpenAPI" else codec.encode(openapi.decode(content))
        except (EncodeError, NotImplementedError):
            yield content


def keep(name: str, content: bytes) -> Path:
    """Keep what failed, for the tests."""
    folder = KEPT / "targets"
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{random.getrandbits(32):08x}.json"
    place.write_text(json.dumps({"target": name, "bytes": content.decode("latin-1")}) + "\n")
    return place


# ---- inside of a process for one target ----


def prepared() -> dict[str, Any]:
    """Set Django up, with tables; return the targets."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "hostile.settings"
    warnings.simplefilter("ignore")
    import django

    django.setup()
    from django.core.management import call_command

    from hostile import targets
    from hostile.worker import put_rows

    call_command("migrate", run_syncdb=True, verbosity=0)
    put_rows()
    return targets.targets()


def refused(target: Any, content: bytes) -> bool:
    """Whether a target refused an input as clients may be told; else it took it, or it raises."""
    from hostile.targets import REFUSALS

    try:
        target(content)
    except tuple(REFUSALS):
        return True
    return False


def mutate(name: str, folder: Path, bounds: list[str]) -> None:
    """Run one target until libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["lintel", "lintel_codecs", "lintel_document"]):
        target = prepared()[name]
    atheris.Setup(
        [sys.argv[0], *bounds, str(folder)], lambda content: refused(target, content) and None
    )
    atheris.Fuzz()


def answered(name: str, folder: Path) -> dict[str, int]:
    """What a package makes of each file of a folder; nothing if it has no such target."""
    target = prepared().get(name)
    if target is None:
        return {}
    counts: Counter[str] = Counter(taken=0, refused=0, failed=0)
    for place in folder.iterdir():
        try:
            counts["refused" if refused(target, place.read_bytes()) else "taken"] += 1
        except Exception:
            counts["failed"] += 1
    return counts


if __name__ == "__main__":
    sys.exit(main())
