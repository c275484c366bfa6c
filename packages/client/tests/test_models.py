"""Generated models: their types, their values, and what they send."""

import ast
import asyncio
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lintel_client import ParameterError, ParseError
from lintel_client.conversions import as_data
from lintel_client.models import UNSET, Model, ModelError
from lintel_client.stubs import python_models
from lintel_codecs.openapi import OpenAPICodec
from lintel_document import Document, Link

ROOT = Path(__file__).parents[3]
STYLES = ("dataclasses", "attrs", "pydantic")
NUMBERS = itertools.count()


def answer(schema, status="200"):
    return {status: {"description": "", "content": {"application/json": {"schema": schema}}}}


def decoded(description):
    return OpenAPICodec().decode(json.dumps(description).encode(), base_url="https://x.org/")


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def operation(name, body=None, **rest):
    described = {"operationId": name, "tags": ["pets"], **rest}
    if body:
        described["requestBody"] = {"required": True, "content": {"application/json": body}}
    return described


TEXT = {"type": "string"}
LOG = {"200": {"description": "", "content": {"application/jsonl": {"itemSchema": ref("Toy")}}}}
SCHEMAS = {
    "Pet": {
        "description": 'A "pet"\nwith """ quotes and \\ in it',
        "type": "object",
        "required": ["id", "name", "password", "born"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "password": {**TEXT, "writeOnly": True},
            "name": {**TEXT, "description": "What it listens to"},
            "born": {**TEXT, "format": "date"},
            "seen": {**TEXT, "format": "date-time", "nullable": True},
            "chip": {**TEXT, "format": "uuid"},
            "price": {**TEXT, "format": "decimal"},
            "size": {"enum": ["small", "large"]},
            "class": TEXT,
            "+1": {"type": "integer"},
            "self": TEXT,
            "list": {"type": "array", "items": TEXT},
            "Owner": {"allOf": [ref("Owner")], "nullable": True},
            "friends": {"type": "array", "items": ref("Pet")},
            "toys": {"type": "object", "additionalProperties": ref("Toy")},
            "anything": {},
        },
    },
    "Owner": {
        "allOf": [ref("Named"), {"properties": {"pets": {"type": "array", "items": ref("Pet")}}}]
    },
    "Named": {"type": "object", "required": ["name"], "properties": {"name": TEXT}},
    "Toy": {
        "oneOf": [ref("Ball"), ref("Rope")],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"round": "#/components/schemas/Ball"},
        },
    },
    "Ball": {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": TEXT, "size": {"type": "integer"}},
    },
    "Rope": {"type": "object", "properties": {"kind": TEXT, "size": TEXT}},
    "Client": {
        "type": "object",
        "properties": {"from_json": TEXT, "json": TEXT, "model_dump": TEXT},
    },
}
PAGE = {
    "type": "object",
    "required": ["results"],
    "properties": {
        "next": {**TEXT, "nullable": True},
        "results": {"type": "array", "items": ref("Pet")},
    },
}
PETS = {
    "openapi": "3.2.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://x.org"}],
    "components": {"schemas": SCHEMAS},
    "paths": {
        "/pets": {
            "get": operation("list", responses=answer(PAGE)),
            "post": operation("add", {"schema": ref("Pet")}, responses=answer(ref("Pet"), "201")),
        },
        "/client": {"get": operation("client", responses=answer(ref("Client")))},
        "/log": {"get": operation("log", responses=LOG)},
    },
}
USE = """
from typing_extensions import assert_type
from lintel_client.models import UNSET
from lintel_document import Document
from {module} import AsyncClient, Ball, Client, Pet, PetInput, PetsListResult, Rope
import datetime as dt

api = Client().operations(Document())["pets"]
page = api["list"]()
assert_type(page, PetsListResult)
assert_type(page.results[0].id, int)
assert_type(page.results[0].born, dt.date)
assert_type(page.results[0].name, str)
if page.results[0].seen is not UNSET:
    assert_type(page.results[0].seen, dt.datetime | None)
toys: dict[str, Ball | Rope] = {{"a": Ball(size=1), "b": Rope()}}
new = PetInput(name="Tom", password="...", born=dt.date(2026, 5, 1), class_="cat", toys=toys)
made = api["add"]({{"body": new}})
assert_type(made, Pet)
api["add"]({{"name": "Tom", "password": "...", "born": "2026-05-01", "toys": {{"a": Ball()}}}})
for pet in api["list"].pages():
    assert_type(pet, Pet)
for toy in api["log"].stream():
    if toy.kind == "round":
        assert_type(toy, Ball)
assert_type(Pet.from_json(None), Pet)


async def main() -> None:
    operations = AsyncClient().operations(Document())["pets"]
    assert_type(await operations["add"]({{"body": new}}), Pet)
    async for pet in operations["list"].pages():
        assert_type(pet, Pet)
"""
WRONG = """# pyright: basic
from lintel_document import Document
from {module} import Ball, Client, Rope
api = Client().operations(Document())["pets"]
a = api["add"]({{"body": 1}})
b = api["add"]({{"body": Ball()}})
c = Rope.from_json()
d = api["list"]().results[0].password
e = api["list"]().results[0].owner
f = api["list"]().result
g = Ball(kind="square")
h = Ball(seize=1)
"""
MISTAKEN = list(range(5, 13))


def loaded(folder, text):
    """Return a module with this text, which stays importable by its name."""
    name = f"models_of_tests_{next(NUMBERS)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    return {style: loaded(folder, python_models(decoded(PETS), style)) for style in STYLES}


@pytest.fixture(params=STYLES)
def models(request, modules):
    return modules[request.param]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checked")
    for style in STYLES:
        (folder / f"{style}_api.py").write_text(python_models(decoded(PETS), style))
        (folder / f"use_{style}.py").write_text(USE.format(module=f"{style}_api"))
        (folder / f"wrong_{style}.py").write_text(WRONG.format(module=f"{style}_api"))
    return folder


def checked(folder, *command):
    """Return what a checker says of a folder's files."""
    sources = [str(ROOT / "packages" / name / "src") for name in ("client", "document")]
    settings = {"typeCheckingMode": "strict", "extraPaths": sources}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "MYPYPATH": ":".join(sources)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize("checker", [("mypy", "--strict", "--cache-dir", "cache"), ("pyright",)])
def test_type_checkers_know_models_and_say_one_line_for_a_mistake(folder, checker):
    files = [
        f"{kind}{style}{end}.py"
        for style in STYLES
        for kind, end in (("", "_api"), ("use_", ""), ("wrong_", ""))
    ]
    output = checked(folder, *checker, *files)
    errors = [line for line in output.splitlines() if re.search(r":\d+(:\d+)?( -|:) error", line)]
    assert [line for line in errors if "wrong_" not in line] == []
    for style in STYLES:
        said = [int(at) for at in re.findall(rf"wrong_{style}\.py:(\d+)", "\n".join(errors))]
        assert said == MISTAKEN
    assert max(map(len, errors)) < 400


def test_modules_are_formatted_and_import_what_they_use(folder):
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["format", "--check", "--diff"], ["check", "--ignore-noqa", "--select", "F,I"]):
        done = subprocess.run(
            [*ruff, *command, "--isolated", "--no-cache", *(f"{each}_api.py" for each in STYLES)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_modules_are_the_same_each_time():
    for style in STYLES:
        assert python_models(decoded(PETS), style) == python_models(decoded(PETS), style)


TOM = {
    "id": 1,
    "name": "Tom",
    "born": "2026-05-01",
    "seen": None,
    "chip": "6e8bc430-9c3a-11d9-9669-0800200c9a66",
    "price": "12.50",
    "class": "cat",
    "+1": 3,
    "list": ["a"],
    "Owner": {"name": "Ann", "pets": []},
    "friends": [{"id": 2, "name": "Tim", "born": "2025-05-01"}],
    "toys": {"a": {"kind": "round", "size": 1}, "b": {"kind": "Rope", "size": "long"}},
}


def test_data_becomes_models_and_data_again(models):
    tom = models.Pet.from_json({**TOM, "new": "in a later version"})
    assert (tom.born, tom.seen, tom.size) == (date(2026, 5, 1), None, None)
    assert (tom.chip, tom.price) == (UUID(TOM["chip"]), Decimal("12.50"))
    assert (tom.class_, tom.field_1, tom.list_) == ("cat", 3, ["a"])
    assert tom.anything is UNSET
    assert tom.Owner_.name == "Ann"
    assert isinstance(tom.friends[0], models.Pet)
    assert tom.friends[0].seen is UNSET
    assert (type(tom.toys["a"]), type(tom.toys["b"])) == (models.Ball, models.Rope)
    assert tom.to_json() == TOM
    assert as_data({"all": [tom]}) == {"all": [TOM]}


def test_absent_is_not_null(models):
    new = models.PetInput(name="Tim", password="...", born=date(2026, 5, 1))
    required = {"name": "Tim", "password": "...", "born": "2026-05-01"}
    assert new.to_json() == required
    new.seen = None
    assert new.to_json() == {**required, "seen": None}
    new.seen = datetime(2026, 5, 1, 12, tzinfo=UTC)
    new.toys = {"a": models.Ball()}
    sent = new.to_json()
    assert (sent["seen"], sent["toys"]) == ("2026-05-01T12:00:00Z", {"a": {"kind": "round"}})
    assert not UNSET
    assert repr(UNSET) == "UNSET"


def test_what_is_sent_and_what_is_returned_differ(models):
    assert not hasattr(models.Pet, "password")
    with pytest.raises((TypeError, pydantic.ValidationError)):
        models.Pet(name="Tim")
    new = models.PetInput(name="Tim", password="...", born=date(2026, 5, 1))
    assert not hasattr(new, "id")
    # Friends and owners have pets, which differ; a ball is the same in both directions.
    assert {"BallInput", "NamedInput"}.isdisjoint(models.__all__)
    assert {"Ball", "OwnerInput", "PetInput"} <= set(models.__all__)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"friends": [{"id": 2, "born": "2025-05-01"}]}, r"friends\[0\]\.name"),
        ({"born": "soon"}, "born"),
        ({"id": "1"}, "id"),
        ({"id": True}, "id"),
        ({"name": None}, "name"),
        ({"size": 3}, "size"),
        ({"list": "a"}, "list"),
        ({"toys": []}, "toys"),
    ],
)
def test_an_error_names_the_place(modules, change, place):
    for style in ("dataclasses", "attrs"):
        with pytest.raises(ModelError, match=rf"^{place}: "):
            modules[style].Pet.from_json({**TOM, **change})
    data = (
        {**TOM, **change}
        if change != {"id": "1"} and change != {"id": True}
        else {**TOM, "id": "x"}
    )
    with pytest.raises(ModelError, match=rf"^{place}: "):
        modules["pydantic"].Pet.from_json(data)


def test_an_unknown_alternative_is_an_error(models):
    with pytest.raises(ModelError, match=r"^toys\.a"):
        models.Pet.from_json({**TOM, "toys": {"a": {"kind": "square"}}})
    with pytest.raises(ModelError, match=r"an object|valid dict"):
        models.Pet.from_json([])


@pytest.fixture
def pets(service):
    """A description of the service, whose operations answer."""
    service.answer("/pets", {"next": None, "results": [TOM]})
    service.answer(
        "/log", '{"kind": "round"}\n{"kind": "Rope"}\n', content_type="application/jsonl"
    )
    service.answer("/client", {"from_json": "a", "json": "b", "model_dump": "c"})
    return decoded({**PETS, "servers": [{"url": service.url("")}]})


def test_calls_take_and_return_models(models, pets, service):
    with models.Client() as client:
        api = client.operations(pets)["pets"]
        page = api["list"]()
        assert page.results == [models.Pet.from_json(TOM)]
        assert list(api["list"].pages()) == page.results
        with api["log"].stream() as log:
            assert list(log) == [models.Ball(), models.Rope(kind="Rope")]
        held = api["client"]()
        assert held.to_json() == {"from_json": "a", "json": "b", "model_dump": "c"}
        service.answer("/pets", TOM, status=201)
        new = models.PetInput(
            name="Tom", password="...", born=date(2026, 5, 1), price=Decimal("1.20")
        )
        assert api["add"]({"body": new}) == page.results[0]
        assert service.last.json() == {
            "name": "Tom",
            "password": "...",
            "born": "2026-05-01",
            "price": "1.20",
        }
        api["add"](
            {"name": "T", "password": "", "born": "2026-05-01", "toys": {"a": models.Ball()}}
        )
        assert service.last.json()["toys"] == {"a": {"kind": "round"}}


def test_asynchronous_calls_return_models(models, pets):
    async def calls():
        async with models.AsyncClient() as client:
            api = client.operations(pets)["pets"]
            page = await api["list"]()
            found = [pet async for pet in api["list"].pages()]
            log = [toy async for toy in api["log"].stream()]
        return page, found, log

    page, found, log = asyncio.run(calls())
    assert page.results == found == [models.Pet.from_json(TOM)]
    assert [type(each) for each in log] == [models.Ball, models.Rope]


def test_a_result_that_does_not_fit_names_the_operation(models, pets, service):
    service.answer("/pets", {"results": [{"id": 1}]})
    with models.Client() as client:
        api = client.operations(pets)["pets"]
        with pytest.raises(ParseError, match=r"^results\[0\]\.(name|born): .*of pets > list"):
            api["list"]()
        with pytest.raises(ParseError, match=r"^(name|born): "):
            list(api["list"].pages())
        with pytest.raises(ParameterError):
            api["add"]({"nam": "Tom"})


def test_answers_that_the_client_has_parsed_fit_too(models, pets):
    with models.Client(parse=True) as client:
        page = client.operations(pets)["pets"]["list"]()
    assert page.results[0].born == date(2026, 5, 1)


@attrs.define
class Station:
    name: str
    opened: date | None = None


class Bike(pydantic.BaseModel):
    made: date
    wheel_size: int = pydantic.Field(28, alias="wheelSize")


@dataclass
class Plain:
    name: str | None = None


def test_classes_of_other_projects_are_sent_with_all_they_hold():
    data = as_data(
        {"a": Station("S", date(2026, 5, 1)), "b": Bike(made=date(2026, 5, 1)), "c": Plain()}
    )
    assert data == {
        "a": {"name": "S", "opened": "2026-05-01"},
        "b": {"made": "2026-05-01", "wheelSize": 28},
        "c": {"name": None},
    }


@dataclass
class Left(Model):
    next: "Left | Right"


@dataclass
class Right(Model):
    next: "Left | Right"


def test_alternatives_are_read_in_time_in_proportion_to_the_data():
    data = 1
    for _ in range(60):
        data = {"next": data}
    with pytest.raises(ModelError, match=r"^(next\.){59}next: 1 is none"):
        Left.from_json(data)


def test_a_description_without_results_has_clients():
    for style in STYLES:
        text = python_models(Document("https://x.org/", content={"go": Link("/")}), style)
        compile(text, "models", "exec")


texts = st.text(min_size=1) | st.sampled_from(["Client", "class", "__a", "None", '"""', "\\", "*/"])


@given(st.lists(texts, min_size=1, max_size=4, unique=True))
def test_no_text_of_a_description_becomes_code(found):
    properties = {name: {"type": "string", "description": name, "enum": [name]} for name in found}
    schema = {"title": found[0], "description": found[-1], "properties": properties}
    description = {
        **PETS,
        "info": {"title": found[0], "version": "1"},
        "paths": {"/a": {"get": operation("a", responses=answer(schema))}},
    }
    for style in STYLES:
        tree = ast.parse(python_models(decoded(description), style))
        called = {ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
        libraries = {"field", "Field", "ConfigDict", "TypedDict", "dataclass", "define"}
        assert called <= {*libraries, "Results", "ModelOperations", "_results"}


def tree_of(schemas, result, **rest):
    """Return a description of one operation that returns a schema."""
    paths = {"/a": {"get": operation("a", responses=answer(result), **rest)}}
    return decoded({**PETS, "paths": paths, "components": {"schemas": schemas}})


def made(folder, style, *arguments):
    return loaded(folder, python_models(tree_of(*arguments), style))


def shape(required, **properties):
    return {"type": "object", "required": required, "properties": properties}


LISTS = {"type": "array", "items": ref("Expression")}
EXPRESSIONS = {
    "Expression": {"oneOf": [ref("All"), ref("Is"), TEXT]},
    "All": shape(["all"], all=LISTS, name=ref("Expression")),
    "Is": shape(["is"], **{"is": {"type": "boolean"}}),
    "Deep": {"oneOf": [ref("Is"), {"type": "array", "items": ref("Deep")}]},
}


@pytest.mark.parametrize("style", STYLES)
def test_alternatives_contain_themselves(tmp_path, style):
    models = made(tmp_path, style, EXPRESSIONS, ref("Expression"))
    data = {"all": [{"is": True}, "a", {"all": [{"all": []}]}], "name": "b"}
    found = models.All.from_json(data)
    assert [type(each) for each in found.all] == [models.Is, str, models.All]
    assert isinstance(found.all[2].all[0], models.All)
    assert found.to_json() == data
    text = python_models(tree_of(EXPRESSIONS, ref("Deep")), style)
    assert "result=Is | list[Is | list[Any]]" in text
    assert "all: list[All | Is | str]" in python_models(tree_of(EXPRESSIONS, ref("All")), style)


def test_alternatives_that_contain_each_other_take_bounded_time_and_text():
    names = [f"S{number}" for number in range(40)]
    both = {
        name: {
            "anyOf": [
                {"type": "array", "items": ref(other)},
                {"type": "object", "additionalProperties": ref(other)},
                ref(names[0]),
            ]
        }
        for name, other in itertools.pairwise([*names, names[1]])
    }
    text = python_models(tree_of(both, ref(names[0])))
    assert len(text) < 100_000


KINDS = {
    "Animal": {
        **shape(["kind"], kind=TEXT, friend=ref("Animal")),
        "discriminator": {
            "propertyName": "kind",
            "mapping": {"feline": "#/components/schemas/Cat"},
        },
    },
    "Cat": {"allOf": [ref("Animal"), shape([], color={"enum": ["black", "red"]})]},
    "Siamese": {"allOf": [ref("Cat"), shape([], eyes=TEXT)]},
    "Dog": {"allOf": [ref("Animal"), shape(["size"], size={"type": "integer"})]},
}


@pytest.mark.parametrize("style", STYLES)
def test_what_extends_a_base_with_a_discriminator_is_told_apart(tmp_path, style):
    models = made(tmp_path, style, KINDS, ref("Animal"))
    text = python_models(tree_of(KINDS, ref("Animal")), style)
    assert "result=Cat | Dog | Siamese | Animal" in text
    dog = models.Dog.from_json({"kind": "Dog", "size": 1, "friend": {"kind": "feline"}})
    assert isinstance(dog.friend, models.Cat)
    kinds = [{"kind": "Siamese", "friend": {"kind": "Dog", "size": 2}}, {"kind": "Bird"}]
    for data, expected in zip(kinds, (models.Siamese, models.Animal), strict=True):
        found = models.Dog.from_json({"kind": "Dog", "size": 1, "friend": data}).friend
        assert type(found) is expected
        assert found.to_json() == data


@pytest.mark.parametrize("style", STYLES)
def test_a_value_that_an_enum_does_not_list_is_kept(tmp_path, style):
    colors = {"type": "array", "items": {"enum": ["black", "red"]}}
    thing = shape(["only"], only={"enum": ["a"]}, colors=colors, size={"enum": [1, 2, None]})
    models = made(tmp_path, style, {"Thing": thing, **KINDS}, shape([], thing=ref("Thing")))
    data = {"only": "b", "colors": ["red", "green"], "size": 3}
    found = models.PetsAResult.from_json({"thing": data})
    assert (found.thing.only, found.thing.colors, found.thing.size) == ("b", ["red", "green"], 3)
    assert found.to_json() == {"thing": data}
    with pytest.raises(ModelError, match=r"^colors"):
        models.Thing.from_json({**data, "colors": [1]})
    with pytest.raises(ModelError, match=r"only"):
        models.Thing.from_json({**data, "only": None})


def test_a_file_is_bytes_to_send_and_text_in_results():
    document = {"file": {**TEXT, "format": "binary"}, "name": TEXT}
    schemas = {"Doc": shape([], **document)}
    body = {"requestBody": {"content": {"multipart/form-data": {"schema": ref("Doc")}}}}
    text = python_models(tree_of(schemas, ref("Doc"), **body))
    assert "class Doc(Model):\n    file: str | None" in text
    assert "class DocInput(Model):\n    file: IO[bytes]" in text
