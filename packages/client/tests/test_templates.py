import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client.templates import expand, variables

# The variables of the examples in RFC 6570, section 3.2.
VALUES = {
    "count": ["one", "two", "three"],
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


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{count}", "one,two,three"),
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("?{x,undef}", "?1024"),
        ("{var:3}", "val"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{+base}index", "http://example.com/home/index"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("X{.var}", "X.value"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.empty_keys*}", "X"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;list}", ";list=red,green,blue"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?undef}", ""),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&var:3}", "&var=val"),
        ("{empty_list}", ""),
    ],
)
def test_examples_of_the_standard(template, expected):
    assert expand(template, VALUES) == expected


@pytest.mark.parametrize("template", ["{", "}", "{}", "{a b}", "{!x}", "{x:0}", "{a,}"])
def test_what_is_no_expression_stays(template):
    assert expand(template, VALUES) == template
    assert variables(template) == []


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


@given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_value_cannot_leave_its_place(value):
    expanded = expand("/a/{x}/b", {"x": value})
    assert expanded.count("/") == 3
    assert not set("?#&= ") & set(expanded)
