"""Parts of a request as words, as httpie writes them."""

import click
import pytest

from lintel_client.cli.items import items_of


def data(*words):
    return items_of(words).data


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["title=Hello"], {"title": "Hello"}),
        (["count:=3", "done:=true", "none:=null"], {"count": 3, "done": True, "none": None}),
        (['tags:=["a", "b"]'], {"tags": ["a", "b"]}),
        (["a="], {"a": ""}),
        (["a=b=c"], {"a": "b=c"}),
        (["url=http://x.org/?a=1"], {"url": "http://x.org/?a=1"}),
        (["guest[name]=Ann", "guest[age]:=7"], {"guest": {"name": "Ann", "age": 7}}),
        (["tags[]=a", "tags[]=b"], {"tags": ["a", "b"]}),
        (["guests[0][name]=A", "guests[1][name]=B"], {"guests": [{"name": "A"}, {"name": "B"}]}),
        (["[]=1", "[]:=2"], ["1", 2]),
        (["a[x y]=1"], {"a": {"x y": "1"}}),
        ([r"a\=b=c"], {"a=b": "c"}),
        ([r"a\:b=c"], {"a:b": "c"}),
        ([r"a\\=c"], {"a\\": "c"}),
        ([r"a\b=c"], {r"a\b": "c"}),
        ([r"a\[b\]=c"], {"a[b]": "c"}),
        ([r"a[b\[\]]=c", r"a[d\=]=e"], {"a": {"b[]": "c", "d=": "e"}}),
        (["ключ=значение"], {"ключ": "значение"}),
        (["a[b=1"], {"a[b": "1"}),
    ],
)
def test_values(words, expected):
    assert data(*words) == expected


def test_what_is_not_in_the_body():
    items = items_of(["q==a b", "q==c&d", "X-Token:abc", "Accept: text/plain", "X-Empty;"])
    assert items.query == [("q", "a b"), ("q", "c&d")]
    assert items.headers == [("X-Token", "abc"), ("Accept", "text/plain"), ("X-Empty", "")]
    assert items.data is None


def test_files(tmp_path):
    text, values = tmp_path / "note.txt", tmp_path / "values.json"
    text.write_bytes("line\r\né".encode())
    values.write_text('{"a": [1]}')
    items = items_of([f"note=@{text}", f"values:=@{values}", f"file@{text}"])
    assert items.data == {"note": "line\r\né", "values": {"a": [1]}}
    [(name, file)] = items.files
    assert (name, file.name, bytes(file.content)) == ("file", "note.txt", "line\r\né".encode())


def test_the_media_type_of_a_file(tmp_path):
    path = tmp_path / "a;b.txt"
    path.write_text("x")
    given = items_of([f"a@{path};type=text/csv", f"a@{path}"]).files
    assert [(name, file.name, file.content_type) for name, file in given] == [
        ("a", "a;b.txt", "text/csv"),
        ("a", "a;b.txt", None),
    ]


def test_all_values_of_a_field():
    found = items_of(["a=1", "a=2", "c[]=x", "c[]:=2", r"d\=e=1"]).fields
    assert found == {"a": ["1", "2"], "c[]": ["x", 2], "d=e": ["1"]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "is not a part of a request"),
        (["=value"], "is not a part of a request"),
        (["a:=nothing"], "a:= must be followed by JSON"),
        (["a:=@" + __file__], "does not hold JSON"),
        (["q==\udcff"], "'q' is not valid UTF-8"),
        (["\udcff=1"], "is not valid UTF-8"),
        (["a=\udcff"], "'a' is not valid UTF-8"),
        (["a" + "[b]" * 5000 + "=1"], "at most 99 pairs of brackets"),
        (["a=1", "a[b]=2"], "a value that is not an object"),
        (["a=1", "a=2"], "has a value already"),
        (["a[]=1", "a[b]=2"], "a value that is not an object"),
        (["a[b]=1", "a[]=2"], "a value that is not a list"),
        (["a@/nowhere"], "cannot read"),
        (["a:=@/nowhere"], "cannot read"),
        (["X-Bad:a\nb"], "X-Bad"),
        (["X-A;b"], "empty header"),
    ],
)
def test_words_that_are_refused(words, message):
    with pytest.raises(click.UsageError, match=message.replace("(", r"\(")):
        data(*words)


def test_no_index_makes_a_huge_list():
    assert data("a[99999999999]=1") == {"a": {"99999999999": "1"}}
    assert len(data("a[]=1", "a[9999]=2")["a"]) == 10000
