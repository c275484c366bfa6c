"""Starting the project: first as it is, then with lintel, which is blamed for the rest alone."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import django
from django.core.checks import CheckMessage, run_checks

from lintel import dropin
from lintel.doctor.findings import BROKEN, GOOD, OPEN, Finding, counted
from lintel.doctor.programs import ProgramError, said_by


def start_without_lintel(folder: Path) -> dict[str, Any]:
    """Ask a process of its own: see ``plain_start``; empty if it says nothing."""
    try:
        outcome: dict[str, Any] = said_by("plain_start.py", folder)
    except ProgramError:
        return {}
    return outcome


def finding_without_lintel(outcome: dict[str, Any]) -> Finding:
    """Judge the outcome: BROKEN for faults that are not about the move."""
    lacking = str(outcome.get("module") or "").partition(".")[0] == dropin.NAME
    if not outcome or lacking:
        reason = f"{dropin.DISTRIBUTION} is not installed" if lacking else "it printed nothing"
        return Finding(OPEN, "start", f"the project could not be tried without lintel: {reason}")
    if "error" not in outcome:
        return Finding(GOOD, "start", "Django starts as it is, before the move")
    return Finding(
        BROKEN,
        "start",
        f"Django does not start without lintel either: {outcome['error']}",
        ("this is not caused by the move: make `manage.py check` pass, then try again",),
    )


def finding_with_lintel() -> Finding:
    try:
        django.setup()
    except Exception as error:  # any exception in the project's code is the finding
        return Finding(BROKEN, "start", f"Django does not start: {type(error).__name__}: {error}")
    return Finding(GOOD, "start", f"Django starts with lintel in place of {dropin.DISTRIBUTION}")


def findings_of_checks(before: Collection[Sequence[str]]) -> Iterator[Finding]:
    """Tell of the system checks, except those that say the same without lintel."""
    try:
        messages = run_checks()
    except Exception as error:  # any exception in the project's code is the finding
        text = f"the system checks fail: {type(error).__name__}: {error}"
        yield Finding(BROKEN, "start", text)
        return
    # The checks of this package are about the move, whoever runs them.
    seen = {tuple(entry) for entry in before if not str(entry[0]).startswith(dropin.OWN_NAME)}
    new = [message for message in messages if (message.id, str(message.msg)) not in seen]
    yield from map(_of_message, new)
    old = len(messages) - len(new)
    if old:
        text = f"the system checks have {counted(old, 'message')}, as they do without lintel"
        yield Finding(OPEN, "checks", text)
    if not new:
        yield Finding(GOOD, "checks", f"the system checks find nothing{' new' if old else ''}")


def _of_message(message: CheckMessage) -> Finding:
    details = (f"hint: {message.hint}",) if message.hint else ()
    mark = BROKEN if message.is_serious() else OPEN
    return Finding(mark, "checks", f"{message.id}: {message.msg}", details)
