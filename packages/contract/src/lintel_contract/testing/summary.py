"""The findings of a test run, as lines for a terminal."""

from __future__ import annotations

from lintel_contract.testing.ledger import Known, Ledger

#: The most departures listed in the text report.
MOST_LISTED = 100


def report(ledger: Ledger, known: list[Known], verbose: bool = False) -> list[str]:
    """Return the lines of the report: coverage, unknown departures by operation, unused entries."""
    described, exercised = ledger.operations()
    pairs = ledger.described & set(ledger.exercised)
    lines = [
        f"{_counted(ledger.exchanges, 'exchange')}; "
        f"{len(exercised)} of {len(described)} operations and "
        f"{len(pairs)} of {len(ledger.described)} described responses exercised"
    ]
    if verbose:
        missing = sorted(ledger.described - set(ledger.exercised))
        lines += [f"  not exercised: {operation} {status}" for operation, status in missing]
    unknown = ledger.unknown(known)
    covered = len(ledger.departures) - len(unknown)
    if ledger.departures:
        lines.append(f"{_counted(len(unknown), 'departure')}, {covered} more known")
    for row in unknown[:MOST_LISTED]:
        operation, kind, detail, _ = row
        lines.append(f"  {operation}: {kind} {detail}")
        times = _counted(ledger.departures[row], "time")
        lines.append(f"    {times}, first in {ledger.tests[row]}")
    if len(unknown) > MOST_LISTED:
        lines.append(f"  and {len(unknown) - MOST_LISTED} more")
    return lines + _not_seen(ledger.unused(known), verbose)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _not_seen(entries: list[Known], verbose: bool) -> list[str]:
    """Return the entries that a run of all tests should have needed."""
    if not verbose:
        return [f"{len(entries)} known departures were not seen (-v lists them)"] * bool(entries)
    return [
        f"  known, but not seen in this run: {entry.operation} {entry.kind} {entry.detail} "
        f"{entry.file} ({entry.reason})"
        for entry in entries
    ]
