"""Under COMPATIBLE_WITH a project answers as the recorded packages of that version do."""

import doctest
import json
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from contract_project.support import MembershipSerializer, PointSerializer
from contract_replay import older
from contract_replay.cases import Case, differences
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.http import Http404
from django.test.utils import override_settings

from lintel import serializers
from lintel.compatible import CHANGES, keeps, kept_changes
from lintel.decorators import api_view
from lintel.settings import COMPATIBLE_VERSIONS
from lintel.test import APIRequestFactory

VERSIONS = older.VERSIONS
CASES: dict[str, list[Case]] = {}
for each in older.cases():
    CASES.setdefault(each.group, []).append(each)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> Iterator[str]:
    with speaking(request.param):
        yield request.param


def speaking(version: str, **others: object) -> Any:
    return override_settings(REST_FRAMEWORK={"COMPATIBLE_WITH": version, **others})


def wanted(case: Case, version: str) -> Any:
    """Return the recorded answer; where a change stays, that of the newest version, or ours."""
    answers = case.facts["answers"]
    if CHANGES[case.group].stays:
        answers = {older.NEWEST: answers[older.NEWEST], **case.facts.get("ours", {})}
    return older.answer(answers, version)


# ---- recorded answers ----


@pytest.mark.django_db
@pytest.mark.usefixtures("fixture_rows")
@pytest.mark.parametrize("change", CASES)
def test_answers(change: str, version: str) -> None:
    for case in CASES[change]:
        got = json.loads(json.dumps(older.play(case)))
        assert differences(wanted(case, version), got) == [], case.id


@pytest.mark.django_db
@pytest.mark.usefixtures("fixture_rows")
def test_answers_of_the_other_files(version: str) -> None:
    for file, case, answers in older.shared_cases():
        got = json.loads(json.dumps(older.play_shared(file, case)))
        assert differences(older.answer(answers, version), got) == [], case.id


def test_each_change_was_seen_in_the_packages() -> None:
    before = dict(pairwise(VERSIONS))
    earlier = {after: one for one, after in before.items()}
    for name, change in CHANGES.items():
        pairs = [(one.facts["answers"], change.since) for one in CASES[name]]
        assert any(
            older.answer(answers, earlier[since]) != older.answer(answers, since)
            for answers, since in pairs
        ), name


def test_each_case_names_a_change() -> None:
    assert CASES.keys() == CHANGES.keys()
    assert [one.id for cases in CASES.values() for one in cases if "answers" not in one.facts] == []


# ---- the setting ----


def test_versions_are_those_of_the_records() -> None:
    assert VERSIONS == COMPATIBLE_VERSIONS


def test_the_newest_version_keeps_nothing_of_others() -> None:
    assert kept_changes() == frozenset()
    with speaking("3.14"):
        assert kept_changes() == {name for name, change in CHANGES.items() if not change.stays}


@pytest.mark.parametrize("value", ["3.13", "3.2", "3.17.1", "", None, 3.17, ["3.17"]])
@pytest.mark.django_db
def test_unknown_versions_are_mistakes(value: Any) -> None:
    with speaking(value):
        with pytest.raises(ImproperlyConfigured, match=r"COMPATIBLE_WITH is .*: use one of"):
            keeps("list-errors")
        with pytest.raises(SystemCheckError, match=r"lintel\.E015"):
            call_command("check", databases=["default"])


# ---- single answers ----


def errors_of(cls: Any) -> object:
    serializer = cls(data=[{"x": 1}, {}], many=True)
    assert not serializer.is_valid()
    return serializer.errors


REQUIRED = {"x": ["This field is required."]}


def test_a_class_follows_the_setting_each_time() -> None:
    for _round in range(2):
        assert errors_of(PointSerializer) == {1: REQUIRED}
        with speaking("3.17"), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert errors_of(PointSerializer) == [{}, REQUIRED]


def test_the_setting_of_list_errors_wins() -> None:
    with speaking("3.17", LIST_SERIALIZER_ERRORS_AS_DICT=True):
        assert errors_of(PointSerializer) == {1: REQUIRED}


def test_errors_over_http() -> None:
    @api_view(["GET"])
    def missing(request: Any) -> None:
        raise Http404("No cat.")

    request = APIRequestFactory().get("/")
    assert missing(request).data == {"detail": "No cat."}
    with speaking("3.14"):
        assert missing(request).data == {"detail": "Not found."}


def test_a_class_of_choices_changes_its_collection() -> None:
    class Shirt(serializers.Serializer):
        sizes = serializers.MultipleChoiceField(choices=["s", "m", "l"])

    for version, sizes in (("3.18", ["m", "s"]), ("3.16", {"m", "s"}), ("3.17", ["m", "s"])):
        with speaking(version):
            serializer = Shirt(data={"sizes": ["m", "s", "m"]})
            assert serializer.is_valid()
            assert serializer.validated_data["sizes"] == sizes
            assert Shirt({"sizes": ["m", "s"]}).data["sizes"] == sizes


def test_a_subclass_chooses_its_collection() -> None:
    class Sorted(serializers.MultipleChoiceField):
        collection_class = sorted

    with speaking("3.16"):
        assert Sorted(choices=["a", "b"]).run_validation(["b", "a"]) == ["a", "b"]


@pytest.mark.django_db
def test_duplicates_that_3_14_does_not_see_are_input_errors_on_request() -> None:
    data = {"team": "twice", "number": 1}
    first, second = (MembershipSerializer(data=data) for _time in range(2))
    with speaking("3.14", UNIQUE_RACE_STATUS=400):
        assert first.is_valid()
        assert second.is_valid()
        first.save()
        with pytest.raises(serializers.ValidationError, match="already exists"):
            second.save()


# ---- the page ----

PAGE = Path(__file__).parents[3] / "docs" / "moving" / "versions.md"


def test_the_page_lists_the_changes() -> None:
    rows = {line for line in PAGE.read_text().splitlines() if line.startswith("| 3.")}
    cells = {
        name: (change.since, f"`{name}`", change.before, change.after, change.stays)
        for name, change in CHANGES.items()
    }
    assert rows == {f"| {' | '.join(filter(None, each))} |" for each in cells.values()}


def test_the_example_of_the_page_runs() -> None:
    [example] = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(), re.S)
    test = doctest.DocTestParser().get_doctest(example, {"__name__": "page"}, "page", None, None)
    assert len(test.examples) == 6
    assert doctest.DocTestRunner().run(test).failed == 0
