"""`python -m contract_replay`: report how much of the contract a package meets."""

import argparse
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from contract_replay import runner, target
from contract_replay.cases import Result


def main() -> int:
    """Run the selected cases and print the results; return 1 if a case failed."""
    options = parser().parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `| head` ends it quietly
    target.use(measured(options))
    start()
    if options.record_difference:
        return record_difference(*options.record_difference)
    if options.write_pending or options.shrink_pending:
        return write_pending(options)
    began = time.perf_counter()
    failed = 0
    for name in options.file or list(runner.MODULES):
        results = results_of(name, options)
        report(name, results, options)
        failed += sum(bool(result.failed) for result in results)
    report_problems()
    print(f"{time.perf_counter() - began:.1f} s")
    return 1 if failed else 0


def start() -> None:
    """Start Django; if an app of the package prevents that, start without it."""
    try:
        target.start()
    except Exception as error:
        package = target.current.package
        tried = os.environ.get("CONTRACT_SKIP_APPS", "")
        if package in tried.split(","):
            raise
        print(f"django.setup(): {type(error).__name__}: {error}", flush=True)
        skip = f"{package}.authtoken" if not tried else f"{package},{package}.authtoken"
        command = [sys.executable, "-m", "contract_replay", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "CONTRACT_SKIP_APPS": skip})


def record_difference(row: str, *ids: str) -> int:
    """Record the current outcome of cases as an intended difference of ours."""
    path = target.current.facts / "differences.json"
    table = json.loads(path.read_text())
    for name in runner.MODULES:
        kind = runner.suite(name)
        for case in runner.cases(name):
            if case.id in ids:
                got = kind.play(case)
                got = {key: got[key] for key in got if key != "note"} if "note" in got else got
                table[case.id] = {"row": row, "expected": got}
    path.write_text(json.dumps(dict(sorted(table.items())), indent=1) + "\n")
    return 0


def write_pending(options: argparse.Namespace) -> int:
    from contract_replay import pending

    unbuilt = pending.unbuilt()
    others = pending.groups() - pending.of_facts()
    chosen = unbuilt & pending.groups() if options.shrink_pending else unbuilt
    pending.write(chosen | others)
    print(f"{len(chosen)} groups pending")
    return 0


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="python -m contract_replay", description=__doc__)
    command.add_argument("--summary", action="store_true", help="counts per file and group")
    command.add_argument("--failures", metavar="GROUP", help="what differs in a group's cases")
    command.add_argument("--file", action="append", choices=list(runner.MODULES), help="only these")
    command.add_argument("--prefix", default="", help="only cases whose id begins so")
    command.add_argument(
        "--shrink-pending", action="store_true", help="drop what passes from pending.json"
    )
    command.add_argument(
        "--write-pending", action="store_true", help="list every failing group in pending.json"
    )
    command.add_argument(
        "--record-difference",
        nargs="+",
        metavar=("ROW", "ID"),
        help="keep the present outcome of cases as a deliberate difference",
    )
    command.add_argument("--limit", type=int, default=40, help="failures shown (default 40)")
    command.add_argument("--package", default="lintel", help="package under test")
    command.add_argument("--settings-key", default="REST_FRAMEWORK", help="its Django setting")
    command.add_argument(
        "--project", type=Path, default=target.TESTS, help="holds contract_project"
    )
    return command


def measured(options: argparse.Namespace) -> target.Target:
    return target.Target(options.package, options.settings_key, options.project.resolve())


def results_of(name: str, options: argparse.Namespace) -> list[Result]:
    chosen = [
        case
        for case in runner.cases(name)
        if case.id.startswith(options.prefix) and options.failures in (None, case.group, "all")
    ]
    return list(runner.check_all(runner.suite(name), chosen))


def report(name: str, results: list[Result], options: argparse.Namespace) -> None:
    if not results:
        return
    failed = Counter(result.case.group for result in results if result.failed)
    total = Counter(result.case.group for result in results)
    print(line(name, sum(total.values()), sum(failed.values())))
    for group in total:
        print(line(f"  {group}", total[group], failed[group]))
    if options.failures is not None:
        report_failures([result for result in results if result.failed], options.limit)


def line(title: str, total: int, failed: int) -> str:
    mark = "ok" if not failed else f"{failed} failed"
    return f"{title:<44} {total - failed:>5} / {total:<5} {mark}"


def report_failures(failures: list[Result], limit: int) -> None:
    for result in failures[:limit]:
        print(f"\n{result.case.id}  {about(result)}")
        for difference in result.failed[:12]:
            print(f"    {difference}")
    if len(failures) > limit:
        print(f"\n… and {len(failures) - limit} more (--limit)")


def about(result: Result) -> str:
    """Return what a case does, as recorded, on one line."""
    from contract_replay.cases import short

    facts = result.case.facts
    keys = ("op", "field", "serializer", "fields", "instance", "partial", "many", "input")
    keys += ("settings", "api_settings", "language", "about", "kind", "patterns", "arguments")
    return " ".join(f"{key}={short(facts[key], 120)}" for key in keys if key in facts)


def report_problems() -> None:
    places: dict[str, list[str]] = {}
    for place, _, message in (problem.partition(": ") for problem in target.problems):
        places.setdefault(message, []).append(place)
    if places:
        print("\nnot importable yet:")
    for message, found in places.items():
        print(f"  {message}  [{', '.join(dict.fromkeys(found))}]")


if __name__ == "__main__":
    sys.exit(main())
