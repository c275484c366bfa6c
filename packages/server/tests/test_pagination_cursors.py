import datetime
import json
import random
from base64 import b64decode, b64encode
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from contract_project.models import Entry, Everything, Snippet
from django.contrib.auth.models import User
from django.db.models import Count, F
from django.db.models.functions import Upper
from django.test import RequestFactory, override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintel.exceptions import NotFound
from lintel.filters import OrderingFilter
from lintel.pagination import Cursor, CursorPagination
from lintel.pagination.cursor_tokens import RowKey
from lintel.pagination.keysets import Keyset
from lintel.request import Request

factory = RequestFactory()
UTC = datetime.UTC

pytestmark = pytest.mark.django_db


def moment(day: int) -> datetime.datetime:
    return datetime.datetime(2024, 3, day, 12, tzinfo=UTC)


@pytest.fixture
def entries() -> None:
    """23 rows; rows 6 to 15 share a moment, every fourth row has no score."""
    Entry.objects.bulk_create(
        Entry(
            id=number,
            name=f"entry-{number:02}",
            created=moment(6 if 6 <= number <= 15 else number),
            score=number % 4 or None,
        )
        for number in range(1, 24)
    )


def request(query: str = "") -> Request:
    return Request(factory.get(f"/rows/?{query}"))


def style(ordering: Any, size: int = 4) -> Any:
    return type("Style", (CursorPagination,), {"ordering": ordering, "page_size": size})


def page(made: Any, url: str | None = "", rows: Any = None) -> Any:
    paginator = made()
    queryset = Entry.objects.all() if rows is None else rows
    query = (url or "").partition("?")[2]
    paginator.rows = paginator.paginate_queryset(queryset, request(query))
    return paginator


def keys(paginator: Any) -> list[int]:
    return [row["id"] if isinstance(row, dict) else row.pk for row in paginator.rows]


def walk(made: Any, rows: Any = None) -> tuple[list[int], list[int]]:
    """The rows that a client sees going forward to the end, and then back to the start."""
    current = page(made, rows=rows)
    forward = keys(current)
    while url := current.get_next_link():
        current = page(made, url, rows)
        forward += keys(current)
    back = keys(current)
    while url := current.get_previous_link():
        current = page(made, url, rows)
        back = keys(current) + back
    return forward, back


def token(paginator_url: str) -> dict[str, str]:
    encoded = parse_qs(urlparse(paginator_url).query)["cursor"][0]
    return {key: values[0] for key, values in parse_qs(b64decode(encoded).decode()).items()}


def cursor(**tokens: str) -> str:
    return "?" + urlencode({"cursor": b64encode(urlencode(tokens).encode()).decode()})


def key_cursor(made: Any, key: str, query: str = "") -> str:
    """A cursor of a whole key that belongs to the list, as the list itself would make it."""
    paginator = made()
    paginator.request = request(query)
    paginator.base_url = f"/rows/?{query}"
    return paginator.encode_cursor(Cursor(0, False, RowKey(key)))


# Nothing is lost, nothing comes twice


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("size", [1, 2, 3, 5, 10, 22, 23, 24])
@pytest.mark.parametrize(
    "ordering",
    [
        "created",
        "-created",
        ("created", "-id"),
        ("-created", "name"),
        "id",
        "-pk",
        "score",
        "-score",
        ("score", "-created"),
        ("-score", "created", "-name"),
        F("score").asc(nulls_last=True),
        F("score").desc(nulls_first=True),
        (F("score").desc(nulls_last=True), Upper("name").desc()),
    ],
    ids=str,
)
def test_every_row_is_seen_once_in_both_directions(ordering: Any, size: int) -> None:
    forward, back = walk(style(ordering, size))
    assert sorted(forward) == list(range(1, 24))
    assert back == forward


@pytest.mark.usefixtures("entries")
def test_the_order_is_that_of_the_database() -> None:
    forward, _ = walk(style(("-score", "created")))
    expected = Entry.objects.order_by("-score", "created", "pk").values_list("pk", flat=True)
    assert forward == list(expected)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.lists(st.none() | st.integers(0, 3), max_size=12),
    signs=st.lists(st.sampled_from(["", "-"]), min_size=2, max_size=2),
    size=st.integers(1, 5),
)
def test_any_rows_in_any_order(scores: list[int | None], signs: list[str], size: int) -> None:
    Entry.objects.all().delete()
    Entry.objects.bulk_create(
        Entry(name=str(number % 2), created=moment(1), score=score)
        for number, score in enumerate(scores)
    )
    ordering = (f"{signs[0]}score", f"{signs[1]}name")
    forward, back = walk(style(ordering, size))
    assert (
        forward
        == back
        == list(Entry.objects.order_by(*ordering, "pk").values_list("pk", flat=True))
    )


@pytest.mark.usefixtures("entries")
def test_rows_that_come_and_go_move_nothing() -> None:
    chance = random.Random(7)
    made = style("created", 3)
    current = page(made)
    seen = keys(current)
    gone: set[int] = set()
    while url := current.get_next_link():
        victim = chance.choice([pk for pk in range(1, 24) if pk not in gone])
        Entry.objects.filter(pk=victim).delete()
        gone.add(victim)
        Entry.objects.create(name="new", created=moment(chance.randint(1, 23)))
        current = page(made, url)
        seen += keys(current)
    assert len(seen) == len(set(seen))
    stayed = set(range(1, 24)) - gone
    assert stayed <= set(seen)


@pytest.mark.usefixtures("entries")
def test_more_equal_rows_than_any_offset_could_skip() -> None:
    Entry.objects.bulk_create(Entry(name="x", created=moment(6)) for _ in range(1500))
    forward, back = walk(style("created", 100))
    assert len(forward) == len(set(forward)) == 1523
    assert back == forward


@pytest.mark.usefixtures("entries")
def test_no_page_skips_rows_by_number(django_assert_num_queries: Any) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        walk(style("created"))
    assert all("OFFSET" not in query["sql"] for query in queries)


# Other rows than plain models


def test_relations_and_annotations() -> None:
    for number in range(9):
        owner = User.objects.create(username=f"user-{number % 3}-{number}")
        Snippet.objects.create(code=str(number % 2), owner=owner)
    rows = Snippet.objects.annotate(n=Count("tags"), loud=Upper("code"))
    for ordering in ("owner__username", ("-loud", "n"), "owner", ("n", "-owner__username")):
        forward, back = walk(style(ordering, 2), rows)
        assert len(set(forward)) == len(forward) == 9
        assert forward == back


@pytest.mark.usefixtures("entries")
def test_rows_as_dictionaries() -> None:
    rows = Entry.objects.values("id", "name")
    forward, back = walk(style("created"), rows)
    assert sorted(forward) == list(range(1, 24))
    assert forward == back
    assert set(page(style("created"), rows=rows).rows[0]) == {"id", "name"}


def test_columns_of_every_kind() -> None:
    for number in range(7):
        Everything.objects.create(
            text=f"é&={number % 3}",
            amount=number % 3,
            when=moment(1 + number % 3),
            day=datetime.date(2024, 1, 1 + number % 3) if number else None,
            at=datetime.time(1, 2, 3, number % 3) if number else None,
            span=datetime.timedelta(days=number % 3, microseconds=number % 2) if number else None,
            flag=number % 2 == 0,
            ratio=0.1 * (number % 3) if number else None,
        )
    for name in ("text", "amount", "when", "day", "at", "span", "key", "flag", "ratio", "maybe"):
        for sign in ("", "-"):
            forward, back = walk(style(f"{sign}{name}", 2), Everything.objects.all())
            assert len(set(forward)) == len(forward) == 7, name
            assert forward == back, name


# Cursors


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("ordering", [["created"], ["-score", "name"], ["name"]])
def test_a_subclass_takes_positions_from_somewhere_else(ordering: list[str]) -> None:
    asked: list[Any] = []

    class OwnPositions(CursorPagination):
        page_size = 4

        def _get_position_from_instance(self, instance: Any, ordering: Any) -> str | None:
            asked.append((instance.pk, tuple(ordering)))
            return super()._get_position_from_instance(instance, ordering)

    OwnPositions.ordering = ordering
    forward, backward = walk(OwnPositions)
    assert sorted(forward) == list(range(1, 24))
    assert backward == forward
    assert {each for _, each in asked} == {tuple(ordering)}


@pytest.mark.usefixtures("entries")
def test_a_cursor_is_short_where_rows_differ() -> None:
    first = page(style("created"))
    assert token(first.get_next_link()) == {"p": "2024-03-04 12:00:00+00:00"}
    second = page(style("created"), first.get_next_link())
    assert token(second.get_previous_link()) == {"r": "1", "p": "2024-03-05 12:00:00+00:00"}
    assert json.loads(token(second.get_next_link())["k"]) == ["2024-03-06T12:00:00Z", 8]


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("tokens", "rows"),
    [
        ({"p": "2024-03-04 12:00:00+00:00"}, [5, 6, 7, 8]),
        ({"o": "3", "p": "2024-03-05 12:00:00+00:00"}, [9, 10, 11, 12]),
        ({"r": "1", "p": "2024-03-05 12:00:00+00:00"}, [1, 2, 3, 4]),
        ({"o": "2"}, [3, 4, 5, 6]),
        ({"r": "1"}, [20, 21, 22, 23]),
        ({"r": "1", "o": "1"}, [19, 20, 21, 22]),
        ({}, [1, 2, 3, 4]),
        ({"other": "x"}, [1, 2, 3, 4]),
        ({"o": "999999"}, []),
    ],
)
def test_cursors_of_other_servers_are_read(tokens: dict[str, str], rows: list[int]) -> None:
    assert keys(page(style("created"), cursor(**tokens))) == rows


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    "tokens",
    [
        {"p": "x"},
        {"p": ""},
        {"p": "\0"},
        {"p": "9" * 5000},
        {"p": "2024-13-45"},
        {"o": "-1"},
        {"o": "x"},
        {"r": "x"},
        {"o": "9" * 5000},
        {"k": "[1]"},
        {"v": "1", "p": "2024-03-04"},
        {"v": "2"},
        {"s": "x"},
    ],
    ids=lambda tokens: str(tokens)[:40],
)
def test_made_up_cursors_are_not_found(tokens: dict[str, str]) -> None:
    with pytest.raises(NotFound) as caught:
        page(style("created"), cursor(**tokens))
    assert caught.value.detail == "Invalid cursor"


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    "key",
    [
        "",
        "{",
        "{}",
        "[]",
        "[1]",
        "[1,2,3]",
        '["x",1]',
        '["2024-03-06T12:00:00","x"]',
        '["2024-03-06T12:00:00",null]',
        "[null,1]",
        '["2024-03-06T12:00:00",[1]]',
        '["2024-03-06T12:00:00",NaN]',
        '["2024-03-06T12:00:00",Infinity]',
        "[" * 50_000,
        '["2024-03-06T12:00:00",{"a":1}]',
    ],
    ids=lambda key: key[:40],
)
def test_made_up_keys_are_not_found(key: str) -> None:
    made = style("created")
    with pytest.raises(NotFound) as caught:
        page(made, key_cursor(made, key))
    assert caught.value.detail == "Invalid cursor"


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("ordering", ["id", "score", "name", "-created", ("score", "id")])
@pytest.mark.parametrize(
    "text", ["", "x", "9" * 40, "-1", "1e5", "nan", "é", "\x00", "null", "True", "2024-01-01"]
)
def test_a_position_of_another_type_is_no_crash(ordering: Any, text: str) -> None:
    made = style(ordering)
    keys = (json.dumps([text, text]), f"[{text},1]", f"[{text}]")
    for url in (cursor(p=text), *(key_cursor(made, key) for key in keys)):
        try:
            page(made, url)
        except NotFound:
            continue


@pytest.mark.parametrize("encoded", ["abc", "é", "%FF", "/w==", "b"])
def test_what_is_not_base64_is_not_found(encoded: str) -> None:
    with pytest.raises(NotFound):
        page(style("created"), f"?cursor={encoded}")


@pytest.mark.usefixtures("entries")
def test_a_changed_cursor_is_refused_or_leads_to_rows_that_follow_each_other() -> None:
    made = style("created")
    rows, _ = walk(made)
    url = page(made, cursor(p="2024-03-05 12:00:00+00:00")).get_next_link()
    original = parse_qs(urlparse(url).query)["cursor"][0]
    chance, read = random.Random(3), 0
    for _ in range(300):
        letters = list(original)
        letters[chance.randrange(len(letters))] = chance.choice("ABCabc019+/=")
        try:
            shown = keys(page(made, "?" + urlencode({"cursor": "".join(letters)})))
        except NotFound:
            continue
        read += 1
        start = rows.index(shown[0]) if shown else 0
        assert shown == rows[start : start + len(shown)]
    assert read


def test_encoding_is_undone_by_decoding() -> None:
    made = style("created")()
    made.base_url = "http://x/"
    for each in (Cursor(0, False, None), Cursor(3, True, "a b&c=é"), Cursor(0, False, "")):
        url = made.encode_cursor(each)
        assert made.decode_cursor(request(urlparse(url).query)) == each


# Cursors belong to their list


SIGNED = override_settings(REST_FRAMEWORK={"SIGN_CURSORS": True})


def equal_rows() -> None:
    Entry.objects.bulk_create(Entry(name="same", created=moment(1), score=1) for _ in range(9))


def at(path: str, made: Any, link: str, **changes: Any) -> Any:
    """The rows that a link gets at another place, or with other parameters."""
    query = {**parse_qs(urlparse(link).query, keep_blank_values=True), **changes}
    paginator = made()
    made_request = Request(factory.get(path, query))
    paginator.rows = paginator.paginate_queryset(Entry.objects.all(), made_request, View())
    return paginator


ELSEWHERE = [
    ("/others/", {}),
    ("/rows/", {"owner": ["2"]}),
    ("/rows/", {"ordering": ["-name"]}),
    ("/rows/", {"search": ["x"]}),
]


@pytest.mark.parametrize(("path", "changes"), ELSEWHERE)
@pytest.mark.parametrize("is_signed", [False, True])
def test_a_cursor_of_another_list_order_or_filter_is_not_found(
    path: str, changes: Any, is_signed: bool
) -> None:
    equal_rows()
    made = type("Own", (style("created"),), {"signed": is_signed})
    first = at("/rows/", made, "?owner=1")
    link = first.get_next_link()
    assert keys(at("/rows/", made, link)) == [pk + 4 for pk in keys(first)]
    with pytest.raises(NotFound) as caught:
        at(path, made, link, **changes)
    assert caught.value.detail == "Invalid cursor"


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_cursor_of_another_ordering_attribute_is_not_found(is_signed: bool) -> None:
    equal_rows()
    for one, other in (("created", "-created"), ("score", F("score").desc(nulls_last=True))):
        attributes = {"signed": is_signed}
        link = page(type("One", (style(one),), attributes)).get_next_link()
        with pytest.raises(NotFound):
            page(type("Other", (style(other),), attributes), link)


@pytest.mark.parametrize("is_signed", [False, True])
def test_size_and_format_may_change_on_the_way(is_signed: bool) -> None:
    equal_rows()
    attributes = {"signed": is_signed, "page_size_query_param": "size"}
    made = type("Own", (style("created"),), attributes)
    link = page(made).get_next_link()
    assert len(keys(at("/rows/", made, link, size=["2"], format=["json"]))) == 2


def test_expressions_of_another_process_are_the_same() -> None:
    equal_rows()
    made = style(Upper("name"))
    other = style(Upper("name"))
    link = page(made).get_next_link()
    assert len(keys(page(other, link))) == 4


# Signed cursors


@SIGNED
@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("ordering", ["id", "created", ("-score", "name")])
def test_a_walk_with_signed_cursors(ordering: Any) -> None:
    forward, back = walk(style(ordering))
    assert sorted(forward) == list(range(1, 24))
    assert forward == back
    assert set(token(page(style(ordering)).get_next_link())) >= {"v", "s"}


@pytest.mark.usefixtures("entries")
def test_with_signing_nothing_else_counts() -> None:
    plain = page(style("id")).get_next_link()
    made = style("created")
    keyed = page(made, page(made).get_next_link()).get_next_link()
    assert "k" in token(keyed)
    with SIGNED:
        for url in (plain, cursor(), cursor(o="1"), cursor(v="1", p="5", s="x")):
            with pytest.raises(NotFound):
                page(style("id"), url)
        with pytest.raises(NotFound):
            page(made, keyed)
        link = page(style("id")).get_next_link()
    with pytest.raises(NotFound):
        page(style("id"), link)


@pytest.mark.usefixtures("entries")
def test_the_class_may_sign_by_itself() -> None:
    made = type("Own", (style("id"),), {"signed": True})
    assert token(page(made).get_next_link()).keys() == {"p", "v", "s"}


@SIGNED
@pytest.mark.usefixtures("entries")
def test_any_change_of_a_signed_cursor_is_not_found() -> None:
    tokens = token(page(style("id")).get_next_link())
    assert keys(page(style("id"), cursor(**tokens))) == [5, 6, 7, 8]
    changes: list[dict[str, str]] = [{"p": "9"}, {"r": "1"}, {"o": "1"}, {"v": "2"}, {"x": "1"}]
    changes += [{"s": tokens["s"][:-1]}, {"s": ""}, {"s": "é"}, {"k": "[1]"}]
    for change in changes:
        with pytest.raises(NotFound):
            page(style("id"), cursor(**{**tokens, **change}))


@SIGNED
@pytest.mark.usefixtures("entries")
def test_keys_are_rotated() -> None:
    with override_settings(SECRET_KEY="old"):
        link = page(style("id")).get_next_link()
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=["old"]):
        assert keys(page(style("id"), link)) == [5, 6, 7, 8]
    with override_settings(SECRET_KEY="new"), pytest.raises(NotFound):
        page(style("id"), link)


# Whatever a client sends

VALUES = st.one_of(
    st.text(max_size=20),
    st.integers().map(str),
    st.floats().map(str),
    st.datetimes().map(str),
    st.sampled_from(["", "\0", "null", "true", "0001-01-01", "9999-12-31T23:59:59+23:59", "1e400"]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
TOKENS = st.dictionaries(st.sampled_from("orpkvbsx"), VALUES, max_size=5)


def answers(made: Any, url: str) -> None:
    """A page or 404: nothing else may come of a cursor."""
    with suppress(NotFound):
        found = page(made, url)
        found.get_next_link()
        found.get_previous_link()


FUZZED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ORDERINGS = st.sampled_from(["id", "created", "score", "name", ("-score", "created")])


@FUZZED
@given(tokens=TOKENS, ordering=ORDERINGS, is_signed=st.booleans())
@pytest.mark.usefixtures("entries")
def test_any_tokens(tokens: dict[str, str], ordering: Any, is_signed: bool) -> None:
    answers(type("Own", (style(ordering),), {"signed": is_signed}), cursor(**tokens))


@FUZZED
@given(key=st.lists(JSON, max_size=3) | JSON, ordering=ORDERINGS)
@pytest.mark.usefixtures("entries")
def test_any_key_under_the_name_of_this_list(key: Any, ordering: Any) -> None:
    made = style(ordering)
    answers(made, key_cursor(made, json.dumps(key)))


@FUZZED
@given(text=st.text() | st.binary().map(lambda raw: b64encode(raw).decode()))
@pytest.mark.usefixtures("entries")
def test_any_text(text: str) -> None:
    encodable = text.encode(errors="replace").decode()
    answers(style("created"), "?" + urlencode({"cursor": encodable}))


@FUZZED
@given(position=st.integers(0, 200), letter=st.sampled_from("ABCabc019+/=é"), cut=st.booleans())
@pytest.mark.usefixtures("entries")
def test_a_changed_letter(position: int, letter: str, cut: bool) -> None:
    made = type("Own", (style("created"),), {"signed": True})
    original = parse_qs(urlparse(page(made).get_next_link()).query)["cursor"][0]
    place = position % len(original)
    changed = original[:place] + letter + ("" if cut else original[place + 1 :])
    try:
        found = page(made, "?" + urlencode({"cursor": changed}))
    except NotFound:
        return
    # Letters outside of the alphabet are skipped: what is left may still be the cursor.
    assert keys(found) == keys(page(made, "?" + urlencode({"cursor": original})))


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("query", ["size=" + "9" * 40, "size=" + str(2**63 - 1)])
def test_huge_sizes_and_offsets_reach_no_database(query: str) -> None:
    attributes = {"page_size_query_param": "size", "offset_cutoff": None}
    made = type("Own", (style("id"),), attributes)
    assert len(page(made, f"?{query}").rows) == 23
    assert page(made, cursor(o="9" * 40)).rows == []


# Turning round where nothing is left


@pytest.mark.usefixtures("entries")
def test_turning_round_at_the_end() -> None:
    made = style("id")
    beyond = page(made, cursor(p="23"))
    assert (keys(beyond), beyond.get_next_link()) == ([], None)
    assert keys(page(made, beyond.get_previous_link())) == [20, 21, 22, 23]
    before = page(made, cursor(r="1", p="1"))
    assert (keys(before), before.get_previous_link()) == ([], None)
    assert keys(page(made, before.get_next_link())) == [1, 2, 3, 4]
    nowhere = page(made, cursor(p="99"))
    assert token(nowhere.get_previous_link()) == {"r": "1", "p": "99"}


# Where the order comes from


class View:
    filter_backends = [OrderingFilter]
    ordering_fields = ["name", "id"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ("created",)),
        ("ordering=name", ("name",)),
        ("ordering=-name,id", ("-name", "id")),
        ("ordering=secret", ("created",)),
    ],
)
def test_an_ordering_filter_takes_the_place_of_the_order(query: str, expected: Any) -> None:
    found = style("created")().get_ordering(request(query), Entry.objects.all(), View())
    assert found == expected


def test_no_order_is_told() -> None:
    with pytest.raises(AssertionError, match="no ordering attribute was declared"):
        style(None)().get_ordering(request(), Entry.objects.all(), None)


@pytest.mark.usefixtures("entries")
def test_sizes_and_controls() -> None:
    class Sized(CursorPagination):
        ordering = "id"
        page_size = 7
        page_size_query_param = "size"
        max_page_size = 12

    for value, expected in (("3", 3), ("13", 12), ("0", 7), ("x", 7), ("9" * 30, 12)):
        assert len(page(Sized, f"?size={value}").rows) == expected
    assert page(style("id")).display_page_controls is True
    assert page(style("id", 50)).display_page_controls is False
    assert page(type("None", (CursorPagination,), {"ordering": "id"})).rows is None
    assert "cursor=" in page(style("id")).to_html()


def test_schemas() -> None:
    made = style("id")()
    assert made.get_paginated_response_schema({})["required"] == ["results"]
    assert [each["name"] for each in made.get_schema_operation_parameters(None)] == ["cursor"]
    assert [each.name for each in made.get_schema_fields(None)] == ["cursor"]


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("ordering", [("created",), ("name", "id"), ("-created", "-id")])
def test_rows_after_a_key_may_be_part_of_another_query(ordering: Any) -> None:
    keys = Keyset(Entry.objects.all(), ordering)
    key = keys.values(keys.ordered(False)[9])
    for values in (key, key[:1]):
        after = keys.beyond(values, False)
        found = [row.pk for row in after]
        inside = Entry.objects.filter(pk__in=after.order_by().values("pk"))
        assert sorted(found) == sorted(row.pk for row in inside)
        plain = keys.ordered(False).filter(keys.after(values, False))
        assert found == [row.pk for row in plain]
    assert len(found) < 14


@pytest.mark.usefixtures("entries")
def test_a_paginator_that_serves_two_pages_tells_the_positions_of_the_second() -> None:
    paginator = style("id")()
    paginator.paginate_queryset(Entry.objects.all(), request())
    assert (paginator.next_position, paginator.previous_position) == ("5", None)
    link = paginator.get_next_link()
    paginator.paginate_queryset(Entry.objects.all(), request(link.partition("?")[2]))
    assert (paginator.next_position, paginator.previous_position) == ("9", "4")


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("ordering", ["created", "-created", ("score", "name"), "id"])
@pytest.mark.parametrize("values", [True, False])
def test_subclasses_may_write_cursors_in_the_form_that_they_know(
    ordering: Any, values: bool
) -> None:
    """Offset, direction and first value: many return such a token in place of an address."""

    class Tokens(CursorPagination):
        page_size = 4

        def encode_cursor(self, cursor: Cursor) -> str:
            tokens = {"o": cursor.offset, "r": int(cursor.reverse), "p": cursor.position}
            query = urlencode({name: value for name, value in tokens.items() if value})
            return "?" + urlencode({"cursor": b64encode(query.encode()).decode()})

    Tokens.ordering = ordering
    rows = Entry.objects.exclude(score=None)
    in_order = [ordering] if isinstance(ordering, str) else ordering
    expected = list(rows.order_by(*in_order, "pk").values_list("pk", flat=True))
    forward, back = walk(Tokens, rows.values("id", "created") if values else rows)
    assert forward == expected
    assert back == expected
