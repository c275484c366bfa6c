"""What the doctor has to say: lines with a mark, as text or as JSON."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

#: Marks: fine, worth a look, broken, a step to take next.
GOOD, OPEN, BROKEN, NEXT = "ok", "??", "!!", "->"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; ``details`` are printed below it, ``topic`` is for programs."""

    mark: str
    topic: str
    text: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([f"[{self.mark}] {self.text}", *(f"     {line}" for line in self.details)])


def counted(number: int, noun: str) -> str:
    """Return "1 name" or "2 names"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def report_of(findings: Iterable[Finding]) -> dict[str, object]:
    """Return the report for programs: ``{"findings": [...], "obstacles": 0}``."""
    listed = [asdict(finding) for finding in findings]
    broken = sum(1 for finding in listed if finding["mark"] == BROKEN)
    return {"findings": listed, "obstacles": broken}
