"""Descriptions on pages: safe Markdown."""

import pytest

from lintel.renderers import descriptions
from lintel.renderers.descriptions import described


def test_markdown_is_written_as_html():
    html = described("# Title\n\nSome *words*, `code`\n\n```\nx < 1\n```")
    assert html == (
        "<h4>Title</h4>\n<p>Some <em>words</em>, <code>code</code></p>\n"
        "<pre><code>x &lt; 1\n</code></pre>"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick=alert(1)>b</b>",
        "[x](javascript:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](JAVA\tSCRIPT:alert(1))",
        "![x](data:text/html;base64,PHNjcmlwdD4=)",
        "<javascript:alert(1)>",
        '[x](/y "onload=\\"alert(1)")',
        "[x]: javascript:alert(1)\n\n[x]",
    ],
)
def test_nothing_in_a_text_runs(text):
    html = described(text).lower().replace("&lt;", "").replace("\t", "")
    assert "<script" not in html
    assert "<img" not in html
    assert "<b " not in html
    assert 'href="javascript' not in html
    assert "java&#115;cript" not in html


def test_images_of_this_site_are_shown_and_others_are_links():
    assert '<img alt="a" src="/static/a.png"' in described("![a](/static/a.png)")
    assert described("![a](https://example.com/a.png)") == (
        '<p><a href="https://example.com/a.png">a</a></p>'
    )
    for address in ("//example.com/a.png", "/\\example.com/a.png", r"\\\\example.com/a.png"):
        assert "<img" not in described(f"![a]({address})")


def test_without_the_library_there_are_paragraphs(monkeypatch):
    monkeypatch.setattr(descriptions, "is_installed", lambda name: False)
    assert described("a <b>\n\nc") == "<p>a &lt;b&gt;</p>\n\n<p>c</p>"
