"""Documents as text for people."""

from lintel_document import Document, Error, Field, Link

READ = Link(
    "/snippets/{id}/", "get", fields=["page", Field("id", required=True, location="path"), "page"]
)
TREE = Document(
    url="https://api.example.org/",
    title="Snippets",
    content={
        "snippets": {"read": READ, "count": 3, "tags": ["a", {"b": None}], "": ("x", True)},
        "list": Link("/snippets/", "get"),
    },
)


def test_a_document_is_shown_as_indented_lines() -> None:
    assert str(TREE).splitlines() == [
        '<Snippets "https://api.example.org/">',
        "    snippets: {",
        "        count: 3",
        "        tags: [",
        '            "a"',
        "            {",
        "                b: null",
        "            }",
        "        ]",
        '        "": ["x", true]',
        "        read(id, [page])",
        "    }",
        "    list()",
    ]
    assert str(TREE["snippets"]["tags"]).splitlines()[:2] == ["[", '    "a"']


def test_what_has_no_title_is_called_by_its_kind() -> None:
    assert str(Document()) == '<Document "">'
    assert str(Error(content={"name": ["Required."]})).splitlines() == [
        "<Error>",
        "    name: [",
        '        "Required."',
        "    ]",
    ]


def test_what_a_server_sent_cannot_act_on_the_terminal() -> None:
    shown = str(Document(title="a\x1b[2J", content={"b\x9b1m": "c\u202e"}))
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)
