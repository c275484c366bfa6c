import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_document.uritemplates import (
    MAX_PROBLEMS,
    expand,
    problems,
    variables,
    with_query,
)

# The variables of the examples in RFC 6570, section 3.2.
VALUES = {
    "count": ["one", "two", "three"],
    "dom": ["example", "com"],
    "dub": "me/too",
    "hello": "Hello World!",
    "half": "50%",
    "var": "value",
    "who": "fred",
    "base": "http://example.com/home/",
    "path": "/foo/bar",
    "list": ["red", "green", "blue"],
    "keys": {"semi": ";", "dot": ".", "comma": ","},
    "v": "6",
    "x": "1024",
    "y": "768",
    "empty": "",
    "empty_list": [],
    "empty_keys": {},
    "undef": None,
}

# Sections 3.2.1 to 3.2.9, whole, one table each.
EXPLODED_LISTS = """
{count}|one,two,three
{count*}|one,two,three
{/count}|/one,two,three
{/count*}|/one/two/three
{;count}|;count=one,two,three
{;count*}|;count=one;count=two;count=three
{?count}|?count=one,two,three
{?count*}|?count=one&count=two&count=three
{&count*}|&count=one&count=two&count=three
"""
SIMPLE = """
{var}|value
{hello}|Hello%20World%21
{half}|50%25
O{empty}X|OX
O{undef}X|OX
{x,y}|1024,768
{x,hello,y}|1024,Hello%20World%21,768
?{x,empty}|?1024,
?{x,undef}|?1024
?{undef,y}|?768
{var:3}|val
{var:30}|value
{list}|red,green,blue
{list*}|red,green,blue
{keys}|semi,%3B,dot,.,comma,%2C
{keys*}|semi=%3B,dot=.,comma=%2C
"""
RESERVED = """
{+var}|value
{+hello}|Hello%20World!
{+half}|50%25
{base}index|http%3A%2F%2Fexample.com%2Fhome%2Findex
{+base}index|http://example.com/home/index
O{+empty}X|OX
O{+undef}X|OX
{+path}/here|/foo/bar/here
here?ref={+path}|here?ref=/foo/bar
up{+path}{var}/here|up/foo/barvalue/here
{+x,hello,y}|1024,Hello%20World!,768
{+path,x}/here|/foo/bar,1024/here
{+path:6}/here|/foo/b/here
{+list}|red,green,blue
{+list*}|red,green,blue
{+keys}|semi,;,dot,.,comma,,
{+keys*}|semi=;,dot=.,comma=,
"""
FRAGMENTS = """
{#var}|#value
{#hello}|#Hello%20World!
{#half}|#50%25
foo{#empty}|foo#
foo{#undef}|foo
{#x,hello,y}|#1024,Hello%20World!,768
{#path,x}/here|#/foo/bar,1024/here
{#path:6}/here|#/foo/b/here
{#list}|#red,green,blue
{#list*}|#red,green,blue
{#keys}|#semi,;,dot,.,comma,,
{#keys*}|#semi=;,dot=.,comma=,
"""
LABELS = """
{.who}|.fred
{.who,who}|.fred.fred
{.half,who}|.50%25.fred
www{.dom*}|www.example.com
X{.var}|X.value
X{.empty}|X.
X{.undef}|X
X{.var:3}|X.val
X{.list}|X.red,green,blue
X{.list*}|X.red.green.blue
X{.keys}|X.semi,%3B,dot,.,comma,%2C
X{.keys*}|X.semi=%3B.dot=..comma=%2C
X{.empty_keys}|X
X{.empty_keys*}|X
"""
SEGMENTS = """
{/who}|/fred
{/who,who}|/fred/fred
{/half,who}|/50%25/fred
{/who,dub}|/fred/me%2Ftoo
{/var}|/value
{/var,empty}|/value/
{/var,undef}|/value
{/var,x}/here|/value/1024/here
{/var:1,var}|/v/value
{/list}|/red,green,blue
{/list*}|/red/green/blue
{/list*,path:4}|/red/green/blue/%2Ffoo
{/keys}|/semi,%3B,dot,.,comma,%2C
{/keys*}|/semi=%3B/dot=./comma=%2C
"""
MATRICES = """
{;who}|;who=fred
{;half}|;half=50%25
{;empty}|;empty
{;v,empty,who}|;v=6;empty;who=fred
{;v,bar,who}|;v=6;who=fred
{;x,y}|;x=1024;y=768
{;x,y,empty}|;x=1024;y=768;empty
{;x,y,undef}|;x=1024;y=768
{;hello:5}|;hello=Hello
{;list}|;list=red,green,blue
{;list*}|;list=red;list=green;list=blue
{;keys}|;keys=semi,%3B,dot,.,comma,%2C
{;keys*}|;semi=%3B;dot=.;comma=%2C
"""
QUERIES = """
{?who}|?who=fred
{?half}|?half=50%25
{?x,y}|?x=1024&y=768
{?x,y,empty}|?x=1024&y=768&empty=
{?x,y,undef}|?x=1024&y=768
{?var:3}|?var=val
{?list}|?list=red,green,blue
{?list*}|?list=red&list=green&list=blue
{?keys}|?keys=semi,%3B,dot,.,comma,%2C
{?keys*}|?semi=%3B&dot=.&comma=%2C
"""
CONTINUATIONS = """
{&who}|&who=fred
{&half}|&half=50%25
?fixed=yes{&x}|?fixed=yes&x=1024
{&x,y,empty}|&x=1024&y=768&empty=
{&x,y,undef}|&x=1024&y=768
{&var:3}|&var=val
{&list}|&list=red,green,blue
{&list*}|&list=red&list=green&list=blue
{&keys}|&keys=semi,%3B,dot,.,comma,%2C
{&keys*}|&semi=%3B&dot=.&comma=%2C
"""
TABLES = (
    EXPLODED_LISTS,
    SIMPLE,
    RESERVED,
    FRAGMENTS,
    LABELS,
    SEGMENTS,
    MATRICES,
    QUERIES,
    CONTINUATIONS,
)
EXAMPLES = [line.split("|") for table in TABLES for line in table.strip().splitlines()]


@pytest.mark.parametrize(("template", "expected"), EXAMPLES)
def test_examples_of_the_standard(template, expected):
    assert expand(template, VALUES) == expected
    assert problems(template) == []


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ("{empty_list}", {"empty_list": []}, ""),
        ("{+path}", {"path": "a%20b/50%"}, "a%20b/50%25"),
        ("{path}", {"path": "a%20b"}, "a%2520b"),
        ("{;keys*}", {"keys": {"a": "", "b": "1"}}, ";a;b=1"),
        ("{?keys*}", {"keys": {"a": ""}}, "?a="),
        ("{keys*}", {"keys": {"a": ""}}, "a="),
        ("{list}", {"list": ["a", None, "b"]}, "a,b"),
        ("{?keys}", {"keys": {"a": None}}, ""),
        ("{x:1}", {"x": "éa"}, "%C3%A9"),
    ],
)
def test_what_the_prose_of_the_standard_says(template, values, expected):
    assert expand(template, values) == expected


@pytest.mark.parametrize(
    "template", ["{", "}", "{}", "{a b}", "{!x}", "{x:0}", "{a,}", "{x:10000}"]
)
def test_what_is_no_expression_stays(template):
    assert expand(template, VALUES) == template
    assert variables(template) == []
    assert problems(template)


def test_problems_say_where_they_are():
    assert problems("/a/{id}/{a b}") == [
        "character 8: '{a b}' is not an expression of RFC 6570",
    ]
    assert problems("/{id") == ["character 1: a brace that belongs to no expression"]


@pytest.mark.parametrize("piece", ["{", "}", "{a", "{}", "{" + "a," * 50 + "}"])
def test_problems_are_bounded_in_number_size_and_time(piece):
    found = problems(piece * 100_000)
    assert len(found) == MAX_PROBLEMS
    assert all(len(message) < 200 for message in found)


def test_variables_are_listed_in_order():
    found = variables("/{id}/{+path}{?page,size*}{/list:3}")
    assert [(each.name, each.optional) for each in found] == [
        ("id", False),
        ("path", False),
        ("page", True),
        ("size", True),
        ("list", True),
    ]
    assert [each.explode for each in found] == [False, False, False, True, False]
    assert found[-1].prefix == 3


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("/x", "/x{?a,b*}"),
        ("/x?y=1", "/x?y=1{&a,b*}"),
        ("/x{?y}", "/x{?y,a,b*}"),
        ("/x#part", "/x{?a,b*}#part"),
        ("/x{#part}", "/x{?a,b*}{#part}"),
    ],
)
def test_a_template_takes_more_variables_in_its_query(template, expected):
    assert with_query(template, ["a", "b*"]) == expected
    assert with_query(template, []) == template


@given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_value_cannot_leave_its_place(value):
    expanded = expand("/a/{x}/b", {"x": value})
    assert expanded.count("/") == 3
    assert not set("?#&= ") & set(expanded)


@given(template=st.text(st.sampled_from("{}a*:3,?&#+./; é%"), max_size=40))
def test_a_template_is_valid_or_says_why_not(template):
    expanded = expand(template, {"a": "v"})
    assert bool(problems(template)) == bool({"{", "}"} & set(expanded))
