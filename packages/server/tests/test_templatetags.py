"""Template tags and filters: links, values, colours, and escaping in all of them."""

import datetime
from typing import Any

import pytest
from django.template import Context, Template
from django.test import RequestFactory
from django.urls import include, path
from django.utils.safestring import mark_safe

from lintel import serializers
from lintel.templatetags import rest_framework as tags

urlpatterns = [path("account/", include("lintel.urls"))]

EVIL = "<i>\"'&"


class Somebody:
    is_authenticated = True

    def __str__(self):
        return EVIL


def fill(text, **context):
    return Template("{% load rest_framework %}" + text).render(Context(context))


@pytest.fixture
def request_to():
    return lambda url: RequestFactory().get(url)


@pytest.mark.urls(__name__)
def test_account_links_come_back_to_the_page(request_to):
    request = request_to("/a/b/?c=<")
    assert tags.optional_login(request) == (
        '<li><a href="/account/login/?next=/a/b/">Log in</a></li>'
    )
    assert 'href="/account/login/?next=/a/b/"' in tags.optional_docs_login(request)
    html = tags.optional_logout(request, Somebody(), 'to"ken')
    assert '<form method="post" action="/account/logout/?next=/a/b/">' in html
    assert EVIL not in html
    assert 'to"ken' not in html


@pytest.mark.urls("contract_project.urls_json_errors")
def test_a_path_cannot_break_out_of_a_link(request_to):
    html = tags.optional_login(request_to("/%22%3E%3Cscript%3E/"))
    assert "<script>" not in html


@pytest.mark.urls("lintel.urls")
def test_without_account_pages_there_are_no_links(request_to):
    request = request_to("/")
    assert tags.optional_login(request) == ""
    assert tags.optional_docs_login(request) == "log in"
    assert "<form" not in tags.optional_logout(request, Somebody(), "token")


def test_a_query_parameter_is_set_in_the_address(request_to):
    request = request_to("/x/?b=2&a=1")
    assert tags.add_query_param(request, "page", 3) == "/x/?a=1&amp;b=2&amp;page=3"
    assert tags.add_query_param(request, "a", EVIL).count("<") == 0


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (None, "<code>null</code>"),
        (True, "<code>true</code>"),
        (1.5, "1.5"),
        ("plain", "plain"),
        ("http://a.b/?c=1&d=2", '<a href="http://a.b/?c=1&amp;d=2">http://a.b/?c=1&amp;d=2</a>'),
        ("/relative/", '<a href="/relative/">/relative/</a>'),
        ("a@b.c", '<a href="mailto:a@b.c">a@b.c</a>'),
        ("two\n<lines>", "<pre>two\n&lt;lines&gt;</pre>"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        (datetime.date(2024, 1, 2), "2024-01-02"),
    ],
)
def test_values_are_shown_for_people(value, html):
    assert tags.format_value(value) == html


@pytest.mark.parametrize(
    "value", [EVIL, [EVIL], [[EVIL]], {EVIL: EVIL}, [{"a": [EVIL]}], f"http://a/{EVIL}"]
)
def test_values_are_escaped_in_a_page(value):
    assert "<i>" not in fill("{{ value|format_value }}", value=value)


def test_lists_are_lines_or_tables():
    assert tags.format_value([1, "a"]).strip() == "1, a"
    assert "<table>" in tags.format_value([[1]])
    assert tags.add_nested_class({"a": 1}) == "class=nested"
    assert tags.add_nested_class([1]) == ""


def test_texts_of_options_compare_as_text():
    assert [tags.as_string(value) for value in (None, 0, "a", True)] == ["", "0", "a", "True"]
    assert tags.as_list_of_strings([None, 1]) == ["", "1"]
    assert tags.as_list_of_strings(None) == []


def test_items_are_found_beside_a_key_of_that_name():
    assert (
        fill("{% for k, v in d|items %}{{ k }}={{ v }};{% endfor %}", d={"items": 1}) == "items=1;"
    )
    assert tags.items(None) == []


@pytest.mark.parametrize(
    ("html", "result"),
    [
        ("<p>", '<p class="own">'),
        ('<p class="a">', '<p class="a own">'),
        ("<p class='a'>", "<p class='a own'>"),
        ('<p class="own">', '<p class="own">'),
        ("text", "text"),
    ],
)
def test_a_class_is_added_once(html, result):
    assert tags.add_class(html, "own") == result


def test_code_is_coloured_and_escaped():
    coloured = fill("{% code json %}{{ value }}{% endcode %}", value=mark_safe('{"a": "<b>"}'))
    assert "<span" in coloured
    assert "<b>" not in coloured
    assert "<b>" not in fill("{% code nonsense %}<b>{% endcode %}")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"a": "<b>"}', "{&quot;a&quot;: &quot;&lt;b&gt;&quot;}"),
        (
            '["http://a.b/?c=1&d=2"]',
            "[&quot;<a href="
            '"http://a.b/?c=1&amp;d=2" rel="nofollow">http://a.b/?c=1&amp;d=2</a>&quot;]',
        ),
        ('{"http://a.b/": 1}', "{&quot;http://a.b/&quot;: 1}"),
        ('["http://a/\\u0022onclick=x"]', "[&quot;http://a/\\u0022onclick=x&quot;]"),
        ('["http://["]', "[&quot;http://[&quot;]"),
        ('["javascript:alert(1)"]', "[&quot;javascript:alert(1)&quot;]"),
    ],
)
def test_json_stays_in_one_piece_with_links(content, expected):
    assert tags.linked_content(content, {"Content-Type": "application/json"}) == expected


def test_a_page_whose_context_tells_no_headers_is_drawn():
    assert fill("{% linked_content content headers %}", content="<b>") == "&lt;b&gt;"


def test_other_content_is_only_escaped():
    html = tags.linked_content('<b>"http://a.b/"', {"Content-Type": "text/plain"})
    assert html == "&lt;b&gt;&quot;http://a.b/&quot;"


def test_quotes_that_never_end_take_no_time():
    for content in ('"\\' * 100_000, '"http://' * 100_000, '"http://a"' + " " * 100_000):
        assert len(tags.linked_content(content, {"Content-Type": "application/json"})) > 100_000


def test_markdown_becomes_html():
    assert tags.render_markdown("*a*") == "<p><em>a</em></p>"


def test_addresses_are_quoted():
    assert tags.smart_urlquote_wrapper("http://a.b/é") == "http://a.b/%C3%A9"


def test_forms_and_fields_are_drawn():
    class Named(serializers.Serializer):
        name = serializers.CharField(initial=EVIL)

    form = fill("{% render_form form template_pack='rest_framework/inline' %}", form=Named())
    assert 'name="name"' in form
    assert "<i>" not in form
    field = tags.render_field(Named()["name"], {"template_pack": "rest_framework/vertical/"})
    assert "field-label" in field


def test_page_controls_draw_themselves():
    class Pager:
        def to_html(self):
            return mark_safe("<nav>")

    assert fill("{% get_pagination_html pager %}", pager=Pager()) == "<nav>"
    assert fill("{% get_pagination_html pager 'Below' %}", pager=Pager()) == "<nav>"


def test_a_second_navigation_has_a_name_of_its_own():
    class Pager:
        def to_html(self):
            return mark_safe('<nav class="p" aria-label="Pages"><a aria-label="Next"></a></nav>')

    first = '<nav class="p" aria-label="Pages"><a aria-label="Next"></a></nav>'
    assert fill("{% get_pagination_html pager %}", pager=Pager()) == first
    second = fill("{% get_pagination_html pager label %}", pager=Pager(), label='Below "it"\\1')
    assert second == first.replace('"Pages"', '"Below &quot;it&quot;\\1"')


@pytest.mark.parametrize("told", ['<nav aria-label="<script>">', None])
def test_what_a_project_has_not_marked_as_safe_is_escaped_below_the_list_too(told):
    class Pager:
        def to_html(self):
            return told

    first = fill("{% get_pagination_html pager %}", pager=Pager())
    assert "<" not in first
    assert fill("{% get_pagination_html pager 'Below' %}", pager=Pager()) == first


def test_links_of_a_native_schema_are_listed():
    from lintel_document import Document, Field, Link

    link = Link(url="/a/", fields=[Field("q", location="query"), Field("pk", location="path")])
    document = Document(content={"users": {"list": link}, "root": link})
    assert list(tags.schema_links(document)) == ["users > list", "root"]
    assert [field.name for field in tags.with_location(link.fields, "path")] == ["pk"]
    assert sorted(tags.data(document)) == ["users"]
    assert 'name="q"' in tags.form_for_link(link)


def test_values_that_are_no_list_are_one_text() -> None:
    assert [tags.as_list_of_strings(value) for value in (5, None, [1, None])] == [
        ["5"],
        [],
        ["1", ""],
    ]


def test_what_is_nested_deeply_is_shown_as_json() -> None:
    deep: Any = "<b>"
    for _ in range(300):
        deep = [deep]
    assert "&lt;b&gt;" in tags.format_value(deep)
    for _ in range(100_000):
        deep = [deep]
    assert tags.format_value(deep) == "<pre>…</pre>"
