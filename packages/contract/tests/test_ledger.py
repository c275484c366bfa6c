"""The ledger of a run, and the file of known departures."""

import json
from pathlib import Path

import pytest

from lintel_contract.testing.ledger import DeparturesError, Known, Ledger, read_known
from lintel_contract.testing.summary import report


def test_known_departures_and_coverage() -> None:
    ledger = Ledger(exchanges=2)
    for row in (("GET /a", "status", "404"), ("GET /b", "body", "200 /x[0]: type")):
        ledger.note(*row, "tests/test_x.py::test_x")
    ledger.described = {("GET /a", "200"), ("GET /b", "200")}
    ledger.exercised[("GET /b", "200")] += 2
    other = Ledger()
    other.add(json.loads(json.dumps(ledger.data())))
    assert other == ledger
    known = [
        Known("GET /*", "status", "4*", "*test_x.py", "it is so"),
        Known("GET /b", "*", "*", "*test_y.py", "old"),
    ]
    lines = report(ledger, known, verbose=True)
    assert lines == [
        "2 exchanges; 1 of 2 operations and 1 of 2 described responses exercised",
        "  not exercised: GET /a 200",
        "1 departure, 1 more known",
        "  GET /b: body 200 /x[0]: type",
        "    1 time, first in tests/test_x.py::test_x",
        "  known, but not seen in this run: GET /b * * *test_y.py (old)",
    ]
    assert report(ledger, known)[-1] == "1 known departures were not seen (-v lists them)"
    assert not ledger.unknown([*known, Known("*", "*", "200 /x[0]*", "*", "brackets are text")])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[[departure]]\nkind = "status"', "entry 1 gives no reason"),
        ('[[departure]]\nreason = "x"\nsort = "status"', "unknown key 'sort'"),
        ("[[departure]]\nreason = 1", "not a table of texts"),
        ('departure = "x"', "are tables"),
        ("[", "cannot be read"),
    ],
)
def test_a_wrong_file_of_departures_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text(text)
    with pytest.raises(DeparturesError, match=reason):
        read_known(file)
