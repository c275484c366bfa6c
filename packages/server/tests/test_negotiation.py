"""Negotiation: media types by precedence, bounded headers, no crash on malformed ones."""

from typing import Any

import pytest
from django.http import Http404
from django.test import RequestFactory, override_settings

from lintel import exceptions, negotiation, parsers, renderers, views
from lintel.negotiation import BaseContentNegotiation, DefaultContentNegotiation
from lintel.renderers import BaseRenderer, JSONRenderer
from lintel.request import Request
from lintel.response import Response
from lintel.utils.mediatypes import _MediaType, media_type_matches, order_by_precedence


class Plain(renderers.BaseRenderer):
    media_type = "text/plain"
    format = "txt"


class Leveled(renderers.BaseRenderer):
    media_type = "a/p; level=2"
    format = "p"


class Anything(renderers.BaseRenderer):
    media_type = "*/*"
    format = "any"


RENDERERS = [renderers.JSONRenderer(), Plain(), Leveled()]


def request(accept=None, path="/", **extra):
    if accept is not None:
        extra["HTTP_ACCEPT"] = accept
    return Request(RequestFactory().get(path, **extra))


def select(accept, choices=RENDERERS, suffix=None, path="/"):
    found = DefaultContentNegotiation().select_renderer(request(accept, path), choices, suffix)
    return type(found[0]).__name__, found[1]


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, ("JSONRenderer", "application/json")),
        ("*/*", ("JSONRenderer", "application/json")),
        ("text/*", ("Plain", "text/plain")),
        ("text/plain, application/json", ("JSONRenderer", "application/json")),
        ("text/plain, application/json; indent=4", ("JSONRenderer", "application/json; indent=4")),
        ("APPLICATION/json", ("JSONRenderer", "APPLICATION/json")),
        ("*/*; indent=4", ("JSONRenderer", "application/json;indent=4")),
        ("a/p; level=2; x=1", ("Leveled", "a/p; level=2; x=1")),
        ("application/json; q=0.1, text/plain", ("JSONRenderer", "application/json; q=0.1")),
        ("text/plain; x*=zz''%41", ("Plain", "text/plain; x*=zz''%41")),
    ],
)
def test_the_most_exact_type_wins_then_the_order_of_the_renderers(accept, chosen):
    assert select(accept) == chosen


@pytest.mark.parametrize(
    "accept",
    ["", ",", "*", "application", "image/*", "a/p", "a/p; level=1", '"', ";;;", "\xff\xfe",
     "text/plain; " + "x" * 300, "a/b," * 64 + "text/plain", " " * 9000 + "text/plain"],
)  # fmt: skip
def test_what_nobody_renders_is_not_acceptable(accept):
    with pytest.raises(exceptions.NotAcceptable) as caught:
        select(accept)
    assert caught.value.available_renderers == RENDERERS


def test_what_is_read_of_a_header_is_bounded():
    negotiation = DefaultContentNegotiation()
    assert len(negotiation.get_accept_list(request("a/b," * 5000))) == 64
    assert negotiation.get_accept_list(request("a/b," + "c" * 9000)) == ["a/b"]
    assert select("text/plain," + " ," * 5000) == ("Plain", "text/plain")


def test_a_renderer_of_everything_answers_with_what_was_asked():
    assert select("x/y; a=1", [Anything()]) == ("Anything", "x/y; a=1")


def test_a_format_narrows_the_renderers():
    assert select("*/*", suffix="txt") == ("Plain", "text/plain")
    assert select("*/*", path="/?format=txt") == ("Plain", "text/plain")
    assert select("*/*", suffix="json", path="/?format=txt")[0] == "JSONRenderer"
    with pytest.raises(Http404):
        select("*/*", suffix="nope")
    with pytest.raises(exceptions.NotAcceptable):
        select("application/json", suffix="txt")


def test_an_overridden_accept_list_is_asked():
    class Fixed(DefaultContentNegotiation):
        def get_accept_list(self, request):
            return ["text/plain"]

    assert type(Fixed().select_renderer(request("*/*"), RENDERERS)[0]) is Plain


@pytest.mark.parametrize(
    ("content_type", "chosen"),
    [
        ("application/json", parsers.JSONParser),
        ("APPLICATION/JSON; charset=utf-8", parsers.JSONParser),
        ("multipart/form-data; boundary=x", parsers.MultiPartParser),
        ("text/plain", type(None)),
        ("", type(None)),
        ("application/json; " + "x" * 300, type(None)),
    ],
)
def test_the_parser_is_chosen_by_the_content_type(content_type, chosen):
    choices = [parsers.JSONParser(), parsers.FormParser(), parsers.MultiPartParser()]
    sent = Request(RequestFactory().generic("POST", "/", b"x", content_type=content_type))
    assert type(DefaultContentNegotiation().select_parser(sent, choices)) is chosen


def test_the_base_class_says_what_to_override():
    with pytest.raises(NotImplementedError, match="select_parser"):
        BaseContentNegotiation().select_parser(None, [])
    with pytest.raises(NotImplementedError, match="select_renderer"):
        BaseContentNegotiation().select_renderer(None, [])


@pytest.mark.parametrize(
    ("own", "wanted", "fits"),
    [
        ("application/json", "application/json; q=1", True),
        ("application/json; indent=4", "application/json", False),
        ("application/json; A=b", "application/json; a=b", True),
        ("text/*", "text/plain", True),
        ("text/plain", "*", False),
        ("a/b", "a/b/c", False),
        ("a/b", None, False),
        ("", "", True),
    ],
)
def test_media_types_match_by_parts_and_parameters(own, wanted, fits):
    assert media_type_matches(own, wanted) is fits


def test_media_types_are_ordered_by_how_exact_they_are():
    given = ["*/*", "a/*", "a/b", "a/b; c=d", "x/y; q=1"]
    assert order_by_precedence(given) == [{"a/b; c=d"}, {"a/b", "x/y; q=1"}, {"a/*"}, {"*/*"}]


def test_parameters_in_an_unknown_encoding_are_left_out():
    broken = _MediaType("text/plain; x*=nonsense''%41")
    assert (broken.full_type, broken.params) == ("text/plain", {})


def test_a_choice_is_made_again_where_anything_else_decides() -> None:
    class Last(DefaultContentNegotiation):
        def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
            return renderers[-1], renderers[-1].media_type

    class Text(BaseRenderer):
        media_type, format = "text/plain", "txt"

        def render(self, data: Any, *args: Any, **kwargs: Any) -> str:
            return "text"

    class First(views.APIView):
        renderer_classes = [JSONRenderer, Text]

        def get(self, request: Any) -> Response:
            return Response({"a": 1})

    class Other(First):
        content_negotiation_class = Last

    class Swapped(First):
        renderer_classes = [Text, JSONRenderer]

    def types(*made: Any, query: str = "", accept: str = "*/*") -> list[str]:
        asked = [RequestFactory().get(f"/{query}", HTTP_ACCEPT=accept) for _ in made]
        answers = [view.as_view()(one) for view, one in zip(made, asked, strict=True)]
        return [answer.accepted_media_type for answer in answers]

    json, text = "application/json", "text/plain"
    assert types(Other, First, Other, First, Swapped) == [text, json, text, json, text]
    assert types(First, First, query="?format=txt") == [text, text]
    assert types(First, First, Other, accept=json) == [json, json, text]
    with override_settings(REST_FRAMEWORK={"URL_FORMAT_OVERRIDE": None}):
        assert types(First, query="?format=txt") == [json]


def test_what_is_remembered_is_bounded() -> None:
    known = negotiation._select.cache_info()
    assert known.maxsize == 512
    request = RequestFactory().get("/?", HTTP_ACCEPT="application/json, " * 100)
    negotiator = DefaultContentNegotiation()
    assert len(negotiator.get_accept_list(request)) == 64
    assert negotiator.select_renderer(request, [JSONRenderer()])[1] == "application/json"
    assert negotiation._select.cache_info() == known


def test_a_renderer_may_change_its_media_type() -> None:
    class Changing(JSONRenderer):
        pass

    class View(views.APIView):
        renderer_classes = [Changing]

        def get(self, request: Any) -> Response:
            return Response({})

    types = []
    for media_type in ("application/json", "application/vnd.new+json"):
        Changing.media_type = media_type
        types.append(View.as_view()(RequestFactory().get("/")).accepted_media_type)
    assert types == ["application/json", "application/vnd.new+json"]


def test_media_types_of_one_text_are_equal() -> None:
    one, same = _MediaType("text/html; a=b"), _MediaType("text/html; a=b")
    assert (one, hash(one)) == (same, hash(same))
    assert {one, same, _MediaType("text/HTML; a=b")} == {one, _MediaType("text/HTML; a=b")}
    assert one != "text/html; a=b"
    assert one != _MediaType("text/html;a=b")
