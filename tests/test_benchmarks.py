"""The benchmark beside peers measures real servers, and refuses contenders that differ."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import checks, options, page, postgresql, processes, rounds, workloads
from benchmarks.clients import Client
from benchmarks.rounds import Plan, Sample
from benchmarks.services import Running, available

SERVICES = {each.name: each for each in available()}
LINTEL, BY_HAND = SERVICES["lintel"], SERVICES["raw Django"]
#: Has the same empty view, and nothing else of the bookshop.
OTHER = replace(BY_HAND, name="other", package="benchmarks.project.growth")
ONE_ROW, EMPTY = (
    next(each for each in workloads.WORKLOADS if each.name == name)
    for name in ("one row", "empty view")
)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[dict[str, Running], Client]]:
    with postgresql.served([LINTEL, BY_HAND, OTHER], processes=1) as (servers, client):
        yield {each.service.name: each for each in servers}, client


def test_one_row_is_measured(served: tuple[dict[str, Running], Client]) -> None:
    servers, client = served
    both = [servers["lintel"], servers["raw Django"]]
    checks.compare(both, [ONE_ROW])
    found = rounds.measure(client, both, ONE_ROW, Plan(rounds=1, seconds=0.02))
    assert list(found) == ["lintel", "raw Django"]
    for sample in found.values():
        # No server answers a request with a query within ten microseconds.
        assert sample.cpu > 10
        assert sample.rate > 0
        assert 0 < sample.p50 <= sample.p99
    assert processes.memory(both[0].pid) > 10
    assert both[0].first_cpu > 0.05


def test_a_body_that_differs_is_refused(served: tuple[dict[str, Running], Client]) -> None:
    servers, _ = served
    pair = [servers["lintel"], servers["other"]]
    checks.compare_answers(pair, [EMPTY])
    with pytest.raises(checks.DifferentError, match="one row: other answers 404"):
        checks.compare_answers(pair, [ONE_ROW])


def test_a_wrong_input_that_is_taken_is_refused(
    served: tuple[dict[str, Running], Client],
) -> None:
    servers, _ = served
    wrong = [workloads.wrong_order(email="nobody")]
    checks.refuse(servers["lintel"], wrong)
    checks.refuse(servers["raw Django"], wrong)  # by hand: checks no bodies
    claims = replace(servers["raw Django"], service=replace(BY_HAND, checks_bodies=True))
    with pytest.raises(checks.DifferentError, match="raw Django answers 200"):
        checks.refuse(claims, wrong)


def test_the_first_difference_is_named_with_its_place() -> None:
    expected = {"results": [{"id": 1, "price": "1.00"}, {"id": 2, "price": "2.00"}]}
    found = {"results": [{"id": 1, "price": "1.00"}, {"id": 2, "price": 2.0}]}
    assert checks.place(expected, found) == "with 2.0 instead of 2.00 at .results[1].price"


def test_cpu_time_is_that_of_the_process() -> None:
    before, own = processes.cpu_seconds(os.getpid()), time.process_time()
    sum(range(2_000_000))
    spent, seen = time.process_time() - own, processes.cpu_seconds(os.getpid()) - before
    assert spent <= seen < spent + 0.2


def measured() -> postgresql.Measured:
    samples = {
        "lintel": Sample(50, 20_000, 0.5, 1.25),
        "raw Django": Sample(100, 10_000, 1, 2),
        "DRF": Sample(400, 2_500, 4, 8),
    }
    starts = {name: postgresql.Start(0.5, 60) for name in samples}
    services = [SERVICES[name] for name in samples]
    return postgresql.Measured({"one <row>": samples}, starts, services, "A quiet machine.")


def test_tables_have_ratios_to_the_raw_view_and_mark_the_best_framework() -> None:
    text = page.tables(measured())
    assert "| lintel | **50** (0.50) |" in text
    assert "| DRF | 400 (4.00) |" in text
    assert "| lintel | 20,000 · 0.5 / 1.2 |" in text
    assert "| raw Django | granian | 0.50 | 60 |" in text


def test_the_picture_has_a_bar_for_each_contender() -> None:
    found = measured()
    root = ElementTree.fromstring(page.picture(found.samples, {"lintel", "DRF"}))
    bars = root.findall(".//{*}g/{*}rect")
    assert [int(each.attrib["width"]) for each in bars] == [15, 30, 120]


def test_the_page_has_the_marks_that_runs_replace() -> None:
    for mark in (page.mark_of(1), page.mark_of(2), "growth"):
        page.check_marks(mark)
    with pytest.raises(ValueError, match="no marks for 3 processes"):
        page.check_marks("3 processes")


def test_a_run_replaces_what_is_between_its_marks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "PICTURE", tmp_path / "picture.svg")
    page.PAGE.write_text("a\n<!-- postgresql -->\nold\n<!-- end of postgresql -->\nb\n")
    page.write(measured(), "new", processes=1)
    assert page.PICTURE.read_text().startswith("<svg")
    picture = "![CPU time per request by workload and contender](picture.svg)"
    between = f"<!-- postgresql -->\n{picture}\n\nnew\n<!-- end of postgresql -->"
    assert page.PAGE.read_text() == f"a\n{between}\nb\n"


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(SystemExit, match=r"unknown: rows\. There are: empty view; guarded"):
        options.chosen(workloads.WORKLOADS, ["rows"])
