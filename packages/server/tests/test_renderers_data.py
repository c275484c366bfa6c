"""JSON byte for byte, templates, and the forms of tests."""

import collections
import dataclasses
import datetime
import decimal
import enum
import importlib.util
import ipaddress
import json
import uuid
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import QueryDict
from django.test import override_settings
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st

from lintel import fast, renderers
from lintel.exceptions import ErrorDetail
from lintel.fast import PLAIN
from lintel.response import Response
from lintel.utils.encoders import CustomScalar, JSONEncoder
from lintel.utils.serializer_helpers import ReturnDict, ReturnList

UTC = datetime.UTC
LONDON = ZoneInfo("Europe/London")
TOKYO = ZoneInfo("Asia/Tokyo")  # +09:18:59 before 1888
KATHMANDU = datetime.timezone(datetime.timedelta(hours=5, minutes=45))
ODD = datetime.timezone(datetime.timedelta(hours=5, minutes=45, seconds=30))


class Word(str):
    __slots__ = ()


class Count(int):
    def __repr__(self):
        return "many"


class Ratio(float):
    def __repr__(self):
        return "some"


class Colour(enum.StrEnum):
    RED = "red"


class Side(enum.Enum):
    LEFT = "left"


class Level(enum.IntEnum):
    ONE = 1


class Other(dict):
    def items(self):
        return [("other", 1)]


class Reversed(list):
    def __iter__(self):
        return reversed(list(super().__iter__()))


class Array:
    def tolist(self):
        return [1, 2]


class Pair:
    def keys(self):
        return ["a"]

    def __getitem__(self, key):
        return 1


class Walk:
    def __iter__(self):
        return iter([1, 2])


Point = collections.namedtuple("Point", "x y")


def slow(value):
    """What the standard library makes of a value: the yardstick."""
    text = json.dumps(
        value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


MOMENTS = st.datetimes(timezones=st.none() | st.sampled_from([UTC, KATHMANDU, ODD]))
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.uuids()
    | st.dates()
    | st.times()
    | st.timedeltas()
    | MOMENTS
    | st.sampled_from([Word("w"), Count(3), Ratio(0.5), Colour.RED, Level.ONE, Point(1, 2)])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.booleans(), inner)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_every_value_is_written_as_the_standard_library_writes_it(value):
    assert renderers.JSONRenderer().render({"value": value}) == slow({"value": value})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, b"1e+16"),
        (1e-5, b"1e-05"),
        (-0.0, b"-0.0"),
        (2**70, b"1180591620717411303424"),
        ("a\u2028b\u2029", b'"a\\u2028b\\u2029"'),
        ("\x00\x1f\x7f\x08\n\"\\/", b'"\\u0000\\u001f\x7f\\b\\n\\"\\\\/"'),
        ("\ud800x", b'"\\ud800x"'),
        (datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC), b'"2024-01-02T03:04:05.000006Z"'),
        (datetime.datetime(2024, 1, 2, tzinfo=KATHMANDU), b'"2024-01-02T00:00:00+05:45"'),
        (datetime.datetime(2024, 1, 2, tzinfo=ODD), b'"2024-01-02T00:00:00+05:45:30"'),
        (datetime.datetime(2024, 1, 2, tzinfo=LONDON), b'"2024-01-02T00:00:00Z"'),
        (datetime.datetime(1800, 1, 2, tzinfo=TOKYO), b'"1800-01-02T00:00:00+09:18:59"'),
        (datetime.time(1, 2, 3, 40_000), b'"01:02:03.040000"'),
        (datetime.timedelta(days=1, seconds=2.5), b'"86402.5"'),
        (decimal.Decimal("10.50"), b"10.5"),
        (decimal.Decimal("1E+20"), b"1e+20"),
        (uuid.UUID(int=5), b'"00000000-0000-0000-0000-000000000005"'),
        (ipaddress.ip_address("::1"), b'"::1"'),
        (ipaddress.ip_interface("10.0.0.1/8"), b'"10.0.0.1/8"'),
        (gettext_lazy("lazy"), b'"lazy"'),
        (mark_safe("<b>"), b'"<b>"'),
        (ErrorDetail("said", "code"), b'"said"'),
        ("é".encode(), b'"\xc3\xa9"'),
        ({1}, b"[1]"),
        ((n for n in "ab"), b'["a","b"]'),
        ([1, (n for n in "ab"), object], None),
        (memoryview(b"x"), b"[120]"),
        (Array(), b"[1,2]"),
        (Pair(), b'{"a":1}'),
        (Walk(), b"[1,2]"),
        (Other(a=1), b'{"other":1}'),
        (Reversed([1, 2]), b"[2,1]"),
        (MultiValueDict({"a": [1, 2]}), b'{"a":2}'),
        (QueryDict("a=1&a=2"), b'{"a":"2"}'),
        (collections.OrderedDict(b=1), b'{"b":1}'),
        (collections.ChainMap({"a": 1}), b'{"a":1}'),
        (ReturnDict({"a": 1}, serializer=None), b'{"a":1}'),
        (ReturnList([1], serializer=None), b"[1]"),
        ({1: 1, None: 2, False: 3, 1.5: 4}, b'{"1":1,"null":2,"false":3,"1.5":4}'),
        ({Colour.RED: Colour.RED}, b'{"red":"red"}'),
        (Point(1, 2), b"[1,2]"),
        ("", b'""'),
        ([], b"[]"),
        (False, b"false"),
        (None, b""),
    ],
)  # fmt: skip
def test_json_is_written_in_these_bytes(value, text):
    if text is None:
        with pytest.raises(TypeError, match="not JSON serializable"):
            renderers.JSONRenderer().render(value)
    else:
        assert renderers.JSONRenderer().render(value) == text


@dataclasses.dataclass
class Record:
    a: int = 1


@pytest.mark.parametrize(
    "value",
    [object(), 1j, Record(), range(3), collections.deque([1]), bytearray(b"x"), {(1, 2): 1},
     {uuid.UUID(int=1): 1}, int],
)  # fmt: skip
def test_values_without_a_form_in_json_are_type_errors(value):
    with pytest.raises(TypeError):
        renderers.JSONRenderer().render([value])


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), decimal.Decimal("NaN"), {float("inf"): 1},
     datetime.time(1, tzinfo=UTC)],
)  # fmt: skip
def test_values_that_json_must_not_hold_are_value_errors(value):
    with pytest.raises(ValueError, match=r"JSON"):
        renderers.JSONRenderer().render([value])


def test_circles_end_in_an_error():
    for circle in ([], {}):
        circle.append(circle) if isinstance(circle, list) else circle.update(a=circle, b=circle)
        with pytest.raises(ValueError, match="Circular reference"):
            renderers.JSONRenderer().render(circle)


def test_shared_and_deep_values_are_written():
    shared = {"a": [1]}
    assert renderers.JSONRenderer().render([shared, [shared]]) == b'[{"a":[1]},[{"a":[1]}]]'
    deep = []
    for _ in range(400):
        deep = [deep]
    assert renderers.JSONRenderer().render(deep) == b"[" * 401 + b"]" * 401


@pytest.mark.parametrize(
    ("accepted", "context", "indent"),
    [
        ("application/json; indent=4", {}, 4),
        ("application/json; INDENT=4", {}, 4),
        ("*/*; indent=99", {}, 8),
        ("application/json; indent=0", {"indent": 2}, None),
        ("application/json; indent=-1", {}, None),
        ("application/json; indent=x", {"indent": 2}, 2),
        ("application/json; x*=zz''a", {}, None),
        (None, {"indent": 3}, 3),
    ],
)
def test_the_media_type_asks_for_an_indentation(accepted, context, indent):
    data = {"a": [1, {}]}
    expected = json.dumps(data, indent=indent, separators=(",", ": ") if indent else (",", ":"))
    assert renderers.JSONRenderer().get_indent(accepted, context) == indent
    assert renderers.JSONRenderer().render(data, accepted, context) == expected.encode()


class Span(enum.Enum):
    DAY = datetime.timedelta(days=1)


class Access(enum.Flag):
    READ = 1


class Odd(float, enum.Enum):
    NAN = float("nan")


class Odder(enum.Enum):
    INFINITY = float("inf")
    INSIDE = [float("nan")]


class Labelled(int, enum.Enum):
    """Members that are a number and have a text as their value."""

    def __new__(cls, number, label):
        member = int.__new__(cls, number)
        member._value_ = label
        return member

    FIRST = (1, "label")


@pytest.mark.parametrize("indent", ["", "; indent=1"])
@pytest.mark.parametrize(
    ("member", "text"), [(Side.LEFT, b'"left"'), (Span.DAY, b'"86400.0"'), (Access.READ, b"1")]
)
def test_members_of_enums_are_written_as_their_values(member, text, indent):
    written = renderers.JSONRenderer().render([member], f"application/json{indent}")
    assert written.split() == ([b"[", text, b"]"] if indent else [b"[" + text + b"]"])


@pytest.mark.parametrize("indent", ["", "; indent=1"])
@pytest.mark.parametrize("member", [Odd.NAN, Odder.INFINITY, Odder.INSIDE])
def test_members_of_enums_hide_no_odd_floats(member, indent):
    for rows in ([member], [{"a": member}] * 10):
        with pytest.raises(ValueError, match="JSON"):
            renderers.JSONRenderer().render(rows, f"application/json{indent}")


@pytest.mark.shortcuts
def test_members_of_enums_with_another_value():
    class Plain(renderers.JSONRenderer):
        encoder_class = type("Encoder", (JSONEncoder,), {})

    assert renderers.JSONRenderer().render([Labelled.FIRST]) == b'["label"]'
    assert Plain().render([Labelled.FIRST]) == b"[1]"


def test_settings_change_the_bytes():
    data = ["é", float("inf")]
    own = {"COMPACT_JSON": False, "UNICODE_JSON": False, "STRICT_JSON": False}
    with override_settings(REST_FRAMEWORK=own):
        assert renderers.JSONRenderer().render(data) == b'["\\u00e9", Infinity]'


def test_an_own_encoder_is_asked_for_every_value_that_json_does_not_know():
    class Encoder(JSONEncoder):
        def default(self, obj):
            return "own" if isinstance(obj, datetime.date) else super().default(obj)

    class OwnRenderer(renderers.JSONRenderer):
        encoder_class = Encoder

    data = [datetime.datetime(2024, 1, 2), datetime.date(2024, 1, 2), decimal.Decimal(1)]
    assert OwnRenderer().render(data) == b'["own","own",1.0]'


@pytest.mark.shortcuts
def test_plain_data_takes_the_fast_way():
    rows = [{"a": 1, "b": 0.5, "c": None, "d": datetime.datetime(2024, 1, 2, tzinfo=UTC)}] * 3
    assert fast.text(rows) == slow(rows)
    moment = [datetime.datetime(2024, 1, 2, microsecond=12, tzinfo=UTC)]
    assert fast.text(moment) == slow(moment)
    for value in (float("nan"), [2**70], {1: 2}, iter("ab"), {1e-9}):
        assert fast.text(value) is PLAIN


@pytest.mark.shortcuts
@pytest.mark.parametrize(
    "value",
    [
        1e-5,
        [-1e-5],
        {"a": 1e-5},
        ReturnDict({"a": 1e-7}, serializer=None),
        (1.5e-7, [0.0]),
        Point(-1e-300, 1e-4),
    ],
)
def test_small_numbers_take_the_fast_way(value):
    assert fast.text(value) == slow(value)
    assert fast.text([value] * 20) == slow([value] * 20)


ROW = st.fixed_dictionaries(
    {
        "name": st.none() | st.text(max_size=3),
        "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "tiny": st.floats(-1e-3, 1e-3),
        "inside": st.dictionaries(st.text("ab", max_size=1), st.floats(0, 1) | st.none()),
    }
)


@pytest.mark.shortcuts
@given(st.lists(ROW | st.fixed_dictionaries({"name": st.text()}), min_size=7, max_size=12))
def test_rows_are_written_as_the_standard_library_writes_them(rows):
    assert fast.text(rows) == slow(rows)


LINKS = st.none() | st.floats() | st.sampled_from(["null", "a"])


@pytest.mark.shortcuts
@given(next=LINKS, previous=LINKS, rows=st.lists(ROW | LINKS, max_size=12))
def test_none_around_the_rows_hides_no_odd_float(next, previous, rows):
    page = {"next": next, "previous": previous, "results": rows}
    for data in (page, ReturnDict(page, serializer=None)):
        written = fast.text(data)
        try:
            expected = slow(data)
        except ValueError:
            expected = PLAIN
        assert written == expected


@pytest.mark.shortcuts
def test_rows_are_not_looked_at_for_a_page_without_a_link(monkeypatch):
    monkeypatch.setattr("lintel.fast.json_texts._odd_floats", pytest.fail)
    page = {"next": None, "previous": None, "results": [{"a": 1, "b": 0.5}] * 20}
    assert fast.text(page) == slow(page)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("place", ["share", "name", "inside"])
def test_a_float_that_json_cannot_carry_is_found_among_many_rows(odd, place):
    rows = [{"name": None, "share": 0.5, "inside": {"a": None}} for _ in range(50)]
    fast.text(rows)
    # The project may have changed what a serializer made.
    rows[40][place] = {"a": odd} if place == "inside" else odd
    assert fast.text(rows) is PLAIN


@pytest.mark.parametrize(
    "value", [uuid.UUID(int=1), Side.LEFT, datetime.date(2026, 1, 2), decimal.Decimal(1)]
)
def test_a_default_that_is_put_into_the_encoder_later_is_asked(value, monkeypatch):
    renderer = renderers.JSONRenderer()
    renderer.render([value])
    monkeypatch.setattr(JSONEncoder, "default", lambda self, obj: f"mine: {type(obj).__name__}")
    assert renderer.render([value]) == f'["mine: {type(value).__name__}"]'.encode()
    monkeypatch.undo()
    assert b"mine" not in renderer.render([value])


@pytest.mark.parametrize("owner", [JSONEncoder, json.JSONEncoder])
def test_an_encode_that_is_put_into_an_encoder_later_is_called(owner, monkeypatch):
    renderers.JSONRenderer().render({"a": 1})
    monkeypatch.setattr(owner, "encode", lambda self, obj: '"patched"')
    assert renderers.JSONRenderer().render({"a": 1}) == b'"patched"'


class Proxy:
    """Stands for a method and is equal to it, as the wrappers of tracing tools are."""

    def __init__(self, wrapped):
        self.wrapped = wrapped

    def __eq__(self, other):
        return self.wrapped == other

    def __hash__(self):
        return hash(self.wrapped)

    def __get__(self, instance, owner):
        return self if instance is None else lambda obj: '"patched"'


def test_an_encode_that_is_equal_to_the_one_of_python_is_called(monkeypatch):
    monkeypatch.setattr(json.JSONEncoder, "encode", Proxy(json.JSONEncoder.encode))
    assert renderers.JSONRenderer().render({"a": 1}) == b'"patched"'


@pytest.mark.shortcuts
@pytest.mark.parametrize("name", ["encode", "iterencode", "__init__"])
def test_a_method_that_was_replaced_before_the_import_is_called(name, monkeypatch):
    spec = importlib.util.find_spec("lintel.fast.json_texts")

    def imported():
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    assert imported().text({"a": 1}) == b'{"a":1}'
    method = getattr(json.JSONEncoder, name)
    monkeypatch.setattr(json.JSONEncoder, name, lambda *args, **kwargs: method(*args, **kwargs))
    assert imported().text({"a": 1}) is PLAIN


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("encoder_class", json.JSONEncoder, b'["\xc3\xa9",0.5]'),
        ("ensure_ascii", True, b'["\\u00e9",0.5]'),
        ("compact", False, b'["\xc3\xa9", 0.5]'),
    ],
)
@pytest.mark.parametrize("on_instance", [True, False])
def test_attributes_of_a_renderer_may_change(name, value, text, on_instance, monkeypatch):
    renderer = renderers.JSONRenderer()
    assert renderer.render(["é", 0.5]) == b'["\xc3\xa9",0.5]'
    monkeypatch.setattr(renderer if on_instance else renderers.JSONRenderer, name, value)
    assert renderer.render(["é", 0.5]) == text
    if name == "encoder_class":
        with pytest.raises(TypeError):
            renderer.render([decimal.Decimal(1)])


def test_a_renderer_may_become_lenient_later(monkeypatch):
    renderer = renderers.JSONRenderer()
    with pytest.raises(ValueError, match="Out of range"):
        renderer.render([float("nan")])
    monkeypatch.setattr(renderers.JSONRenderer, "strict", False)
    assert renderer.render([float("nan")]) == b"[NaN]"


@pytest.mark.parametrize("items", [[], [{"a": 1}], [("a", 1)]])
def test_the_encoder_takes_lists_for_lists(items):
    for value in (ReturnList(items, serializer=None), tuple(items)):
        found = JSONEncoder().default(value)
        assert (type(found), found) == (list, items)


def test_durations_in_yaml_are_seconds():
    class Dumper:
        def represent_scalar(self, tag, text):
            return text

    assert CustomScalar.represent_timedelta(Dumper(), datetime.timedelta(days=1)) == "86400.0"


class View:
    pass


def context(rf, status=200, exception=False, template_name=None):
    response = Response(None, status=status, exception=exception, template_name=template_name)
    return {"view": View(), "request": rf.get("/"), "response": response}


def test_a_template_is_filled_with_the_data(rf):
    renderer = renderers.TemplateHTMLRenderer()
    own = context(rf, template_name="contract_other.html")
    assert renderer.render({"word": "x"}, None, own).strip() == "other: x"
    assert renderer.get_template_context([1], own) == {"details": [1], "status_code": 200}


def test_template_names_come_from_response_renderer_and_view(rf):
    class Named(renderers.TemplateHTMLRenderer):
        template_name = "renderer.html"

    view, response = View(), context(rf, template_name="response.html")["response"]
    assert Named().get_template_names(response, view) == ["response.html"]
    response.template_name = None
    assert Named().get_template_names(response, view) == ["renderer.html"]
    renderer = renderers.TemplateHTMLRenderer()
    with pytest.raises(ImproperlyConfigured, match="on View or on TemplateHTMLRenderer"):
        renderer.get_template_names(response, view)
    view.template_name = "view.html"
    assert renderer.get_template_names(response, view) == ["view.html"]
    view.get_template_names = lambda: ["method.html"]
    assert renderer.get_template_names(response, view) == ["method.html"]


@pytest.mark.parametrize("data", [{"a": 1}, ["a"], "text", None])
@pytest.mark.parametrize(
    "renderer", [renderers.TemplateHTMLRenderer(), renderers.StaticHTMLRenderer()]
)
def test_an_error_without_a_template_is_a_line_of_text(rf, renderer, data):
    own = context(rf, status=418, exception=True)
    assert renderer.render(data, None, own) == "418 I'M A Teapot"


def test_static_html_is_the_data(rf):
    assert renderers.StaticHTMLRenderer().render("<p>", None, context(rf)) == "<p>"
    assert renderers.StaticHTMLRenderer().render("<p>") == "<p>"


def test_multipart_encodes_fields_and_refuses_nested_data():
    body = renderers.MultiPartRenderer().render({"a": [1, 2], "b": "é"})
    assert body.count(b'name="a"') == 2
    assert "é".encode() in body
    with pytest.raises(AssertionError, match="key 'a'"):
        renderers.MultiPartRenderer().render({"a": {"b": 1}})


def test_openapi_is_written_plainly():
    shared = {"x": gettext_lazy("lazy")}
    document = {"b": [shared, shared], "a": datetime.date(2024, 1, 2)}
    yaml = renderers.OpenAPIRenderer().render(document).decode()
    assert yaml == "b:\n- x: lazy\n- x: lazy\na: '2024-01-02'\n"
    assert json.loads(renderers.JSONOpenAPIRenderer().render(document)) == {
        "b": [{"x": "lazy"}, {"x": "lazy"}],
        "a": "2024-01-02",
    }


def test_a_renderer_has_to_render():
    with pytest.raises(NotImplementedError, match="render"):
        renderers.BaseRenderer().render({})
