import pytest

from lintel_client.errors import LinkLookupError
from lintel_client.lookup import find, find_link, shown_path
from lintel_document import Document, Link

LIST = Link("/list/")
INNER = Document("http://x.org/inner/", content={"go": Link("/go/")})
DOCUMENT = Document(
    "http://x.org/",
    content={
        "snippets": {"list": LIST, "create": Link("/create/", "post")},
        "items": [INNER, {"deep": INNER}],
        "": {"list": Link("/root/")},
        "top": Link("/top/"),
        "count": 3,
    },
)


@pytest.mark.parametrize("keys", [["snippets", "list"], ("snippets", "list")])
def test_keys_lead_to_a_link(keys):
    found = find_link(DOCUMENT, keys)
    assert found.link is LIST
    assert found.document is DOCUMENT
    assert found.document_path == ()


def test_one_string_is_one_key():
    assert find_link(DOCUMENT, "top").link.url == "/top/"
    with pytest.raises(LinkLookupError):
        find_link(DOCUMENT, "snippets.list")


def test_an_empty_key_leads_on():
    assert find_link(DOCUMENT, ["", "list"]).link.url == "/root/"


@pytest.mark.parametrize(
    ("keys", "path"),
    [(["items", 0, "go"], ("items", 0)), (["items", 1, "deep", "go"], ("items", 1, "deep"))],
)
def test_the_innermost_document_is_remembered(keys, path):
    found = find_link(DOCUMENT, keys)
    assert found.document is INNER
    assert found.document_path == path


@pytest.mark.parametrize("keys", [None, 4, {"a"}, ["a", None], [b"a"]])
def test_keys_of_another_type(keys):
    with pytest.raises(TypeError, match="keys must be"):
        find_link(DOCUMENT, keys)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["snippets", "lst"], "'snippets' has no key 'lst'. Did you mean list?"),
        (["zzz"], "The document has no key 'zzz'. It has: snippets, items, '', top, count"),
        (["snippets"], "'snippets' is not a link, its type is Object. Its links are: list, create"),
        ([], "The document is not a link, its type is Document. Its links are: top"),
        (["count"], "'count' is not a link, its type is int."),
        (["count", "a"], "'count' has no keys, so 'a' leads nowhere"),
        (["top", "a"], "'top' has no keys, so 'a' leads nowhere"),
        (["items", 7], "'items' has 2 items, none at 7"),
        (["items", "a"], "'items' has no keys, so 'a' leads nowhere"),
        (["items", 1, "deep", "x"], "'items > 1 > deep' has no key 'x'. It has: go"),
    ],
)
def test_paths_that_lead_nowhere_say_where(keys, message):
    with pytest.raises(LinkLookupError) as caught:
        find_link(DOCUMENT, keys)
    assert str(caught.value) == message


def test_find_returns_whatever_is_there():
    assert find(DOCUMENT, []) is DOCUMENT
    assert find(DOCUMENT, ["count"]) == 3


def test_paths_are_shown_with_empty_keys():
    assert shown_path(["", "a", 0]) == '"" > a > 0'


def test_near_misses_of_a_single_key_are_ids_of_operations_too():
    document = Document(content={"pets": {"list": Link("/p/", operation_id="listPets")}})
    with pytest.raises(LinkLookupError, match="Did you mean listPets"):
        find_link(document, "listPet")


def test_a_long_list_of_keys_is_cut():
    document = Document(content={f"name{number}": Link("/") for number in range(1000)})
    with pytest.raises(LinkLookupError, match=r"name39 and 960 more$"):
        find_link(document, ["?"])
