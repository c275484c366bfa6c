"""Template tags and filters: links, values, colours, and escaping in all of them."""

import datetime

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
        ('{"a": "<b>"}', '<span class="json-string">&quot;&lt;b&gt;&quot;</span>'),
        ('{"a": -1.5e-7}', '<span class="json-number">-1.5e-7</span>'),
        ('{"true": null}', '<span class="json-word">null</span>'),
        ('["http://a.b/?c=1&d=2"]', 'href="http://a.b/?c=1&amp;d=2"'),
        ('["http://a/\\u0022onclick=x"]', 'href="http://a/&quot;onclick=x"'),
        ('["javascript:alert(1)"]', '<span class="json-string">'),
    ],
)
def test_json_is_coloured_with_links(content, expected):
    html = tags.highlight_content(content, {"Content-Type": "application/json"})
    assert expected in html


def test_other_content_and_huge_content_are_only_escaped():
    assert tags.highlight_content("<b>", {"Content-Type": "text/plain"}) == "&lt;b&gt;"
    huge = '"' + "x" * tags.MAX_HIGHLIGHTED + '"'
    assert "<span" not in tags.highlight_content(huge, {"Content-Type": "application/json"})


def test_quotes_that_never_end_take_no_time():
    content = '"\\' * 100_000
    assert len(tags.highlight_content(content, {"Content-Type": "application/json"})) > 100_000


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


def test_links_of_a_native_schema_are_listed():
    from lintel_document import Document, Field, Link

    link = Link(url="/a/", fields=[Field("q", location="query"), Field("pk", location="path")])
    document = Document(content={"users": {"list": link}, "root": link})
    assert list(tags.schema_links(document)) == ["users > list", "root"]
    assert [field.name for field in tags.with_location(link.fields, "path")] == ["pk"]
    assert sorted(tags.data(document)) == ["users"]
    assert 'name="q"' in tags.form_for_link(link)
