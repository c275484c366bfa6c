import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_document.urls import relative, resolve


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        ("https://x.org/a/", "", "https://x.org/a/"),
        ("https://x.org/a/", "b/", "https://x.org/a/b/"),
        ("https://x.org/a/", "/b/{id}/?q=1", "https://x.org/b/{id}/?q=1"),
        ("https://x.org/a/", "//y.org/b", "https://y.org/b"),
        ("https://x.org/a/", "../b", "https://x.org/b"),
        ("https://x.org/a/", "/b/../c", "https://x.org/c"),
        ("https://x.org/a/?p=1", "?q=1", "https://x.org/a/?q=1"),
        ("https://x.org", "/b", "https://x.org/b"),
        ("https://x.org/a/", "http://y.org/?", "http://y.org/?"),
        ("https://x.org/a/", "mailto:a@x.org", "mailto:a@x.org"),
        ("", "/b/", "/b/"),
        ("https://x.org/", "//[", "//["),
    ],
)
def test_resolve(base, url, expected):
    assert resolve(base, url) == expected


@pytest.mark.parametrize(
    ("base", "url", "expected"),
    [
        ("https://x.org/a/", "https://x.org/a/", ""),
        ("https://x.org/a/", "https://x.org/b/?q=1#f", "/b/?q=1#f"),
        ("https://x.org/a/", "https://x.org/", "/"),
        ("https://x.org/a/", "https://x.org", "https://x.org"),
        ("https://x.org/a/", "https://x.org?q=1", "https://x.org?q=1"),
        ("https://x.org/a/", "https://x.org.evil/", "https://x.org.evil/"),
        ("https://x.org/a/", "https://x.org:8/", "https://x.org:8/"),
        ("https://x.org/a/", "https://x.org//y.org/", "https://x.org//y.org/"),
        ("https://x.org/a/", "https://x.org/../b", "https://x.org/../b"),
        ("https://x.org/a/", "http://x.org/b", "http://x.org/b"),
        ("https://x.org/a/", "/b", "/b"),
        ("", "", ""),
        ("", "https://x.org/", "https://x.org/"),
    ],
)
def test_relative(base, url, expected):
    assert relative(base, url) == expected


paths = st.text(st.sampled_from("ab./?#&={}:@%20é "), max_size=12)


@given(
    base=paths.map(lambda path: "https://x.org/" + path),
    url=st.builds(
        str.__add__, st.sampled_from(["https://x.org", "https://x.org/", "http://y.org/"]), paths
    ),
)
def test_resolve_restores_what_relative_shortens(base, url):
    assert resolve(base, relative(base, url)) == url
