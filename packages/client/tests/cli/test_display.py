from lintel_client.cli.display import changes, described, displayed
from lintel_document import Document, Error, Field, Link, schemas

LINK = Link(
    "/x/", "post", fields=[Field("b"), Field("a", required=True), Field("a", location="form")]
)


def test_documents_show_data_first_then_links():
    document = Document(
        "http://x.org/",
        "Notes",
        content={"go": LINK, "n": 1, "s": "é", "o": {"k": None, "l": Link("/")}, "a": [1, LINK]},
    )
    assert displayed(document) == (
        '<Notes "http://x.org/">\n'
        "    n: 1\n"
        '    s: "é"\n'
        "    o: {\n"
        "        k: null\n"
        "        l()\n"
        "    }\n"
        "    a: [\n"
        "        1\n"
        "        (a, [b], [a])\n"
        "    ]\n"
        "    go(a, [b], [a])"
    )


def test_documents_without_title_and_keys_without_letters():
    inner = Document("http://x.org/1/", content={"": {"list": Link("/")}})
    assert displayed(Document(content={"d": inner, "e": Error("Bad")})) == (
        '<Document "">\n'
        '    d: <Document "http://x.org/1/">\n'
        '        "": {\n'
        "            list()\n"
        "        }\n"
        "    e: <Bad>"
    )


def test_links_are_described_field_by_field():
    link = Link(
        "http://x.org/{id}/",
        "put",
        "application/json",
        "inplace",
        "Change",
        "Changes a note.",
        [
            Field("id", True, "path", schemas.Integer(description="Its number.")),
            Field("kind", False, "form", schemas.Enum(enum=["a", None])),
            Field("old", description="Older text.", type="string"),
        ],
    )
    assert described("update", link) == (
        "update(id, [kind], [old])\n"
        "Change\n"
        "Changes a note.\n"
        "\n"
        "    PUT http://x.org/{id}/\n"
        "    body: application/json\n"
        "    transform: inplace\n"
        "\n"
        "    id: required, path, integer. Its number.\n"
        '    kind: optional, form, enum ("a" | null)\n'
        "    old: optional, string. Older text."
    )
    assert described("go", Link("/")) == "go()\n\n    GET /"


def test_long_lists_of_values_are_cut():
    def line(count, **options):
        field = Field("n", False, "form", schemas.Enum(enum=list(range(count))))
        return described("go", Link("/", fields=[field]), **options).splitlines()[-1]

    assert line(12).endswith("(0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11)")
    assert line(598).endswith("enum (0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 … and 590 more)")
    assert line(598, full=True).endswith("| 596 | 597)")


def test_documents_are_described_by_their_texts():
    document = Document("http://x.org/", "T", "About notes.", content={"n": 1})
    assert described("", document) == 'T\nAbout notes.\n<T "http://x.org/">\n    n: 1'


def test_changes_name_the_links_that_differ():
    before = Document(content={"a": {"x": Link("/x"), "y": Link("/y")}, "l": [{"z": Link("/z")}]})
    after = Document(
        content={"a": {"x": Link("/x", "put"), "new": Link("/")}, "l": [{"z": Link("/z")}]}
    )
    assert changes(before, after) == ["+ a new", "- a y", "~ a x"]
    assert changes(before, before) == []
