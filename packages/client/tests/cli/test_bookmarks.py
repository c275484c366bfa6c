import json

from lintel_document import Document


def test_bookmarks_bring_back_an_api(lintel, snippets, service):
    assert lintel("bookmarks", "add", "mine").status == 0
    assert json.loads(lintel("bookmarks", "show").output) == [
        {"name": "mine", "url": service.url()}
    ]
    service.answer("/other", Document(service.url("/other"), "Other"))
    lintel("get", service.url("/other"))
    assert lintel("bookmarks", "get", "mine").output.startswith("<Snippets ")
    assert lintel("show").output.startswith("<Snippets ")
    assert lintel("bookmarks", "remove", "mine").status == 0
    assert lintel("bookmarks", "show").output == "[]\n"


def test_unknown_names_are_errors(lintel, snippets):
    lintel("bookmarks", "add", "mine")
    for command in ("get", "remove"):
        outcome = lintel("bookmarks", command, "mien")
        assert outcome.status == 2
        assert outcome.errors == "Error: There is no bookmark 'mien'. Did you mean mine?\n"


def test_a_document_without_a_url_cannot_be_kept(lintel, tmp_path):
    path = tmp_path / "schema.json"
    path.write_text('{"_type": "document"}')
    lintel("load", str(path))
    for command in (["bookmarks", "add", "x"], ["reload"]):
        outcome = lintel(*command)
        assert outcome.status == 2
        assert "has no URL" in outcome.errors
