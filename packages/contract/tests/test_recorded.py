"""The comparison of published descriptions: two versions of one service."""

from collections import Counter
from pathlib import Path

import pytest

from lintel_contract import Change, Level, compare, load

FOLDER = Path(__file__).parent / "data" / "descriptions"
OLD, NEW = "github-16.0.0.json", "github-19.1.0.json"

#: Level, code, direction, and the place in the old or in the new description.
EXPECTED = [
    ("breaking", "operation-removed", "request", "/paths/~1orgs~1{org}~1organization-roles/post"),
    (
        "breaking",
        "media-type-removed",
        "response",
        "/paths/~1zen/get/responses/200/content/application~1json",
    ),
    ("breaking", "parameter-removed", "request", "/paths/~1app~1hook~1deliveries/get/parameters/2"),
    (
        "breaking",
        "bound-added",
        "request",
        "/paths/~1user~1emails/post/requestBody/content/application~1json/schema"
        "/oneOf/0/properties/emails",
    ),
    (
        "breaking",
        "type-changed",
        "request",
        "/components/parameters/repository-name-in-query/schema",
    ),
    (
        "breaking",
        "property-removed",
        "response",
        "/components/schemas/private-user/properties/suspended_at",
    ),
    (
        "breaking",
        "property-became-optional",
        "response",
        "/components/schemas/git-tree/properties/url",
    ),
    (
        "risky",
        "choice-added",
        "response",
        "/components/schemas/repository-ruleset/properties/source_type",
    ),
    (
        "risky",
        "error-removed",
        "response",
        "/paths/~1orgs~1{org}~1security-managers~1teams~1{team_slug}/put/responses/409",
    ),
    (
        "risky",
        "default-changed",
        "request",
        "/paths/~1repos~1{owner}~1{repo}~1releases/post/requestBody/content/application~1json"
        "/schema/properties/make_latest",
    ),
    (
        "risky",
        "variant-added",
        "response",
        "/components/schemas/custom-property/properties/default_value/oneOf/1",
    ),
    (
        "harmless",
        "choice-added",
        "request",
        "/components/schemas/repository-ruleset-bypass-actor/properties/actor_type",
    ),
]


@pytest.fixture(scope="module")
def changes() -> list[Change]:
    """From the older version to the newer."""
    return compare(*(load(name, folder=FOLDER) for name in (OLD, NEW)))


def test_so_many_changes_of_each_level(changes: list[Change]) -> None:
    assert Counter(change.level for change in changes) == {
        Level.BREAKING: 22,
        Level.RISKY: 30,
        Level.HARMLESS: 82,
    }
    assert len({change.code for change in changes}) == 33


@pytest.mark.parametrize(("level", "code", "direction", "place"), EXPECTED)
def test_a_change_has_its_level_and_its_place(
    changes: list[Change], level: str, code: str, direction: str, place: str
) -> None:
    found = {
        change.level.name.lower()
        for change in changes
        if (change.code, change.direction) == (code, direction)
        and place in (change.old, change.new)
    }
    assert found == {level}


def test_a_shared_schema_names_every_operation_that_it_reaches(changes: list[Change]) -> None:
    (found,) = (change for change in changes if (change.old or "").endswith("/source_type"))
    assert found.operations == ("GET /orgs/{org}/rulesets", "POST /orgs/{org}/rulesets")


def test_the_other_way_round_as_many_places_have_changed(changes: list[Change]) -> None:
    back = compare(*(load(name, folder=FOLDER) for name in (NEW, OLD)))
    removed = {change.old for change in back if change.code == "operation-removed"}
    added = {change.new for change in changes if change.code == "operation-added"}
    assert removed == added
    assert len(added) == 1


@pytest.mark.parametrize("name", [OLD, NEW])
def test_a_description_is_equal_to_itself(name: str) -> None:
    same = load(name, folder=FOLDER)
    assert compare(same, same) == []
