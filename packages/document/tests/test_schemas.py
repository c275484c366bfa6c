import copy
import pickle

import pytest

from lintel_document import schemas


def every_schema():
    yield schemas.Object(properties={"x": schemas.Integer()}, required=["x"])
    yield schemas.Array(items=schemas.String())
    yield schemas.Number(minimum=0.5)
    yield schemas.Integer(maximum=3)
    yield schemas.String(format="date")
    yield schemas.Boolean(title="Yes?")
    yield schemas.Null()
    yield schemas.Enum(enum=["a", None, 1])
    yield schemas.Anything()


@pytest.mark.parametrize("schema", list(every_schema()), ids=lambda schema: schema.type_name)
def test_schemas_are_values(schema):
    assert schema == copy.deepcopy(schema) == pickle.loads(pickle.dumps(schema))
    assert hash(schema) == hash(copy.deepcopy(schema))
    assert schemas.BY_TYPE_NAME[schema.type_name] is type(schema)
    with pytest.raises(AttributeError):
        schema.title = "other"


def test_different_types_differ():
    assert len({repr(schema) for schema in every_schema()}) == 9
    assert schemas.Integer() != schemas.Number()


class Lazy:
    def __str__(self):
        return "late"


def test_texts_are_kept_as_strings():
    schema = schemas.String(title=None, description=Lazy())
    assert (schema.title, schema.description) == ("", "late")


def test_containers_given_as_lists_and_dicts_are_frozen():
    values = ["a"]
    properties = {"b": schemas.Null()}
    enum, item = schemas.Enum(enum=values), schemas.Object(properties=properties)
    values.append("c")
    properties["d"] = schemas.Null()
    assert enum.enum == ("a",)
    assert item.properties == {"b": schemas.Null()}
    assert schemas.Object(required=["b"]).required == ("b",)
    assert schemas.Array(items=[schemas.Null()]).items == (schemas.Null(),)


def test_an_array_holds_anything_unless_told():
    assert schemas.Array().items == schemas.Anything()


def test_type_names_of_foreign_schemas():
    class String:
        pass

    class Slug(String):
        pass

    class Object:
        pass

    assert schemas.type_name(Slug()) == "string"
    assert schemas.type_name(Object()) == "object"
    assert schemas.type_name(Lazy()) == "anything"
    assert schemas.type_name(schemas.Integer()) == "integer"
