import copy
import pickle

import pytest

from lintel_document import Array, Document, Error, Link, Object


@pytest.fixture
def document():
    return Document(
        url="https://x.org/",
        title="Notes",
        content={
            "zeta": 1,
            "notes": {"list": Link("/notes/"), "count": 2},
            "go": Link("/go/"),
            "tags": [{"name": "a"}, "b"],
        },
    )


def test_missing_texts_are_empty():
    empty = Document()
    assert (empty.url, empty.title, empty.description, empty.media_type) == ("", "", "", "")
    assert dict(empty) == {}
    assert Error().title == ""


def test_positional_arguments_keep_their_order():
    document = Document("u", "t", "d", "m", {"a": 1})
    assert (document.url, document.title, document.description) == ("u", "t", "d")
    assert (document.media_type, document["a"]) == ("m", 1)


@pytest.mark.parametrize("name", ["url", "title", "description", "media_type"])
def test_document_refuses_texts_of_another_type(name):
    with pytest.raises(TypeError, match=f"Document: '{name}' must be a string, not int"):
        Document(**{name: 1})


@pytest.mark.parametrize("build", [Document, Error])
def test_content_must_be_a_mapping_with_string_keys(build):
    with pytest.raises(TypeError, match="'content' must be a mapping, not list"):
        build(content=[1])
    with pytest.raises(TypeError, match="key 1 must be a string"):
        build(content={1: 2})


def test_nested_keys_must_be_strings():
    with pytest.raises(TypeError, match="key None must be a string"):
        Document(content={"a": [{None: 1}]})


def test_error_title_must_be_a_string():
    with pytest.raises(TypeError, match="Error: 'title'"):
        Error(title=4)


@pytest.mark.parametrize("items", ["text", {"a": 1}])
def test_array_refuses_what_is_no_list(items):
    with pytest.raises(TypeError, match="must be a list"):
        Array(items)


def test_dicts_and_lists_become_containers(document):
    assert type(document["notes"]) is Object
    assert type(document["tags"]) is Array
    assert type(document["tags"][0]) is Object


def test_tuples_stay_tuples():
    assert Object(pair=(1, 2))["pair"] == (1, 2)


def test_object_is_built_like_a_dict():
    assert Object([("a", 1)], b={"c": 2}) == {"a": 1, "b": {"c": 2}}


def test_order_of_insertion_is_kept(document):
    assert list(document) == ["zeta", "notes", "go", "tags"]
    assert list(document.set("alpha", 1)) == ["zeta", "notes", "go", "tags", "alpha"]
    assert list(document.set("zeta", 9)) == ["zeta", "notes", "go", "tags"]


def test_the_source_of_a_tree_stays_apart_from_it():
    source = {"a": {"b": [1]}}
    document = Document(content=source)
    source["a"]["b"].append(2)
    source["c"] = 3
    assert document == {"a": {"b": [1]}}


def test_reading_like_a_mapping(document):
    assert document.get("nothing") is None
    assert document.get("nothing", 4) == 4
    assert "zeta" in document
    assert len(document) == 4
    assert list(document.keys()) == [key for key, _ in document.items()]
    assert next(iter(document.values())) == 1
    with pytest.raises(KeyError):
        document["nothing"]


def test_an_empty_key_is_a_key():
    document = Document(content={"": {"list": Link("/")}})
    assert document[""]["list"] == Link("/")
    assert document.get_in(["", "list"]) == Link("/")


def test_data_and_links_split_the_entries(document):
    assert list(document.data) == ["zeta", "notes", "tags"]
    assert dict(document.links) == {"go": Link("/go/")}
    assert dict(document["notes"].links) == {"list": Link("/notes/")}
    assert dict(document["notes"].data) == {"count": 2}


@pytest.mark.parametrize("attribute", ["url", "title", "new", "_items", "_private"])
def test_no_attribute_can_be_set_or_deleted(document, attribute):
    for part in (document, document["notes"], document["tags"], document["go"], Error("E")):
        with pytest.raises(TypeError, match="immutable"):
            setattr(part, attribute, 1)
        with pytest.raises(TypeError, match="immutable"):
            delattr(part, attribute)


def test_no_item_can_be_set_or_deleted(document):
    with pytest.raises(TypeError):
        document["a"] = 1
    with pytest.raises(TypeError):
        del document["zeta"]
    with pytest.raises(TypeError):
        document["tags"][0] = 1


def test_set_and_delete_return_new_trees(document):
    changed = document.set("zeta", {"deep": [1]})
    assert changed["zeta"] == {"deep": [1]}
    assert type(changed["zeta"]) is Object
    assert (changed.url, changed.title) == (document.url, document.title)
    assert document["zeta"] == 1
    assert "zeta" not in document.delete("zeta")
    assert "zeta" in document
    with pytest.raises(KeyError):
        document.delete("nothing")
    with pytest.raises(TypeError):
        document.set(1, 1)


def test_unchanged_parts_are_shared(document):
    assert document.set_in(["notes", "count"], 3)["tags"] is document["tags"]


def test_error_keeps_its_title_when_it_changes():
    assert Error("Bad", {"a": 1}).set("a", 2) == Error("Bad", {"a": 2})


def test_array_set_and_delete():
    array = Array([1, 2, 3])
    assert array.set(1, [9]) == [1, [9], 3]
    assert array.delete(0) == [2, 3]
    assert array == [1, 2, 3]
    assert array[1:] == [2, 3]
    assert isinstance(array[1:], Array)
    with pytest.raises(IndexError):
        array.set(3, 0)
    with pytest.raises(IndexError):
        array.delete(3)


def test_paths_read_write_and_delete(document):
    assert document.get_in(["tags", 0, "name"]) == "a"
    assert document.set_in(["tags", 0, "name"], "z").get_in(["tags", 0, "name"]) == "z"
    assert document.delete_in(["tags", 0, "name"])["tags"] == [{}, "b"]
    assert document.delete_in(["tags", 1])["tags"] == [{"name": "a"}]


@pytest.mark.parametrize(
    "path", [["nothing"], ["tags", 9], ["tags", "name"], ["zeta", "x"], ["go", "url"], [[]]]
)
def test_a_path_that_leads_nowhere_gives_the_default(document, path):
    assert document.get_in(path) is None
    assert document.get_in(path, 5) == 5


def test_the_empty_path_is_the_tree(document):
    assert document.get_in([]) is document
    assert document.set_in([], {"a": 1}) == {"a": 1}
    assert document.delete_in([]) is None


def test_changes_need_a_path_that_exists(document):
    with pytest.raises(KeyError):
        document.set_in(["nothing", "a"], 1)
    with pytest.raises(KeyError):
        document.delete_in(["notes", "nothing"])
    with pytest.raises(TypeError, match="'zeta' holds a int"):
        document.set_in(["zeta", "a"], 1)
    with pytest.raises(TypeError, match="list of keys"):
        document.set_in("zeta", 1)


def test_documents_are_equal_by_url_title_and_content():
    document = Document("u", "t", "d", "m", {"a": 1, "b": 2})
    assert document == Document("u", "t", "other", "other", {"b": 2, "a": 1})
    assert document != Document("v", "t", content={"a": 1, "b": 2})
    assert document != Document("u", "s", content={"a": 1, "b": 2})
    assert document != Document("u", "t", content={"a": 1})


def test_containers_equal_the_plain_values_they_hold():
    assert Document("u", content={"a": [1]}) == {"a": [1]}
    assert Object(a=[1]) == {"a": [1]}
    assert Document("u", content={"a": 1}) == Object(a=1)
    assert Error("E", {"a": 1}) == {"a": 1}
    assert Array([1, {"a": 2}]) == [1, {"a": 2}]
    assert Array([1]) == Array([1])
    assert Array([1]) != (1,)
    assert Object() != 5


def test_errors_are_told_from_documents_and_by_title():
    assert Error("E", {"a": 1}) == Error("E", {"a": 1})
    assert Error("E") != Error("F")
    assert Error() != Document()
    assert Document() != Error()


@pytest.mark.parametrize("part", [Document(), Error(), Object(), Array(), Link()])
def test_containers_and_links_are_not_hashable(part):
    with pytest.raises(TypeError):
        hash(part)


def test_messages_are_the_strings_of_lists():
    error = Error("Bad", {"a": ["x", 1, "y"], "b": "no", "c": {"d": ["no"]}, "e": ["z"]})
    assert error.get_messages() == ["x", "y", "z"]


def test_copies_and_pickles_are_equal(document):
    assert copy.deepcopy(document) is document
    assert copy.copy(document) is document
    for part in (document, document["notes"], document["tags"], Error("E", {"a": [1]})):
        again = pickle.loads(pickle.dumps(part))
        assert again == part
        assert type(again) is type(part)


def test_repr_names_the_parts():
    assert repr(Document("u", "t", content={"a": [1]})) == (
        "Document(url='u', title='t', content={'a': Array([1])})"
    )
    assert repr(Error("E", {"b": {}})) == "Error(title='E', content={'b': Object({})})"
