"""Named schemas: one per serializer, or one per direction if the directions differ.

A component is identified only by its serializer, never by the endpoints that use it: a new
endpoint does not rename the others. References use the plain name; the position
of the reference decides which direction is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from django.core.exceptions import ImproperlyConfigured

from lintel.fields import FileField
from lintel.fields.describing import Schema
from lintel.schemas import tree
from lintel.schemas.dialects import NAMED
from lintel.schemas.inspection import Inspection
from lintel.schemas.likeness import describers, likeness, once_per_class
from lintel.schemas.shown_values import shown_instead
from lintel.schemas.tree import PATCH, REQUEST, RESPONSE
from lintel.serializers import Serializer
from lintel.settings import api_settings

if TYPE_CHECKING:
    from lintel.schemas.openapi.automatic import AutoSchema
    from lintel.schemas.openapi.contract import ContractForm
    from lintel.schemas.openapi.full import FullForm

ResultT = TypeVar("ResultT")

PREFIX = "#/components/schemas/"

_VALID = re.compile(r"[A-Za-z0-9._-]+")

Used = Mapping[str, Mapping[str | None, frozenset[str]]]


def reference_to(name: str) -> Schema:
    return {"$ref": f"{PREFIX}{name}"}


def name_of_reference(reference: object) -> str | None:
    if isinstance(reference, str) and reference.startswith(PREFIX):
        return reference.removeprefix(PREFIX)
    return None


def valid_name(name: str) -> str:
    if _VALID.fullmatch(name):
        return name
    plain = unicodedata.normalize("NFKD", name)
    return "".join(_VALID.findall(plain)) or "Component"


def numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}{number}" for number in count(2))


def serializer_reference(schema: AutoSchema, serializer: Serializer) -> Schema:
    form: FullForm = schema.document_form
    written = shown_instead(schema, serializer) if form.receives else None
    serializer = serializer if written is None else written
    around = form.around.get(type(serializer))
    if around is not None and is_circular(serializer):
        return reference_to(around)
    try:
        name = valid_name(schema.get_component_name(serializer))
    except ImproperlyConfigured as error:
        return _in_place(schema, serializer, error)
    key = serializer_reference, type(serializer), name, describers(schema)
    like, given = likeness(schema, serializer), (_component_of, schema, serializer, name)
    if like is None:
        return reference_to(form.inspection.once_for(serializer, key, *given))
    return reference_to(form.inspection.once((key, like), *given))


def _component_of(schema: AutoSchema, serializer: Serializer, name: str) -> str:
    """Return the name of a component with just this content, which is added if needed."""
    # The fields are made here: other operations ask for facts about them.
    facts_of(schema, serializer)
    if _is_described_as(name, schema, serializer):
        return name
    inspection: Inspection = schema.document_form.inspection
    is_same_class = _is_made_from(inspection, name, type(serializer))
    owner = type(schema.view).__name__ if is_same_class else _app_of(type(serializer))
    cls, sources = type(serializer), inspection.sources
    made = [source for source in sources if _is_made_from(inspection, source, cls)]
    named = [source for source in made if source.endswith(name)] if is_same_class else []
    for candidate in chain(named, numbered(f"{owner}{name}")):
        is_new = candidate not in inspection.sources
        if _is_described_as(candidate, schema, serializer):
            break
    if is_new:
        differs = "has other fields, choices or limits here"
        inspection.warn(
            f"the serializer {differs if is_same_class else 'shares its name with another one'}: "
            f"its component is called {candidate}. Use "
            "@extend_schema_serializer(component_name=…) to choose names.",
            schema.view,
            serializer,
        )
    return candidate


def _is_described_as(name: str, schema: AutoSchema, serializer: Serializer) -> bool:
    """Return whether a name is that of a serializer's description; it is if it was free."""
    inspection: Inspection = schema.document_form.inspection
    if name not in inspection.sources:
        inspection.sources[name] = type(serializer), frozenset(serializer.fields)
        # Registered before its fields, because a serializer may contain itself.
        component: dict[str | None, tree.Schema] = inspection.components.setdefault(name, {})
        component.update(_directions(schema, serializer, name))
        return True
    if not _is_made_from(inspection, name, type(serializer)):
        return False
    if name in inspection.unfinished:
        return inspection.sources[name] == (type(serializer), frozenset(serializer.fields))
    return inspection.components[name] == dict(_directions(schema, serializer, name))


def _is_made_from(inspection: Inspection, name: str, cls: type) -> bool:
    source = inspection.sources[name]
    return isinstance(source, tuple) and source[0] is cls


def _in_place(schema: AutoSchema, serializer: Serializer, error: Exception) -> Schema:
    described = {} if is_circular(serializer) else dict(schema.map_serializer(serializer))
    inspection: Inspection = schema.document_form.inspection
    inspection.warn(
        f"it has no component, and is described inline: {error}", schema.view, serializer
    )
    return described


class Facts(NamedTuple):
    needs_body: bool
    needs_file: bool
    has_address: bool


def facts_of(schema: AutoSchema, serializer: Serializer) -> Facts:
    return once_per_class(schema, serializer, _facts)


def _facts(serializer: Serializer) -> Facts:
    fields = serializer.fields
    required = [field for field in fields.values() if field.required and not field.read_only]
    return Facts(
        needs_body=bool(required),
        needs_file=any(isinstance(field, FileField) for field in required),
        has_address=api_settings.URL_FIELD_NAME in fields,
    )


def is_circular(serializer: Serializer) -> bool:
    owner = serializer.parent
    while owner is not None:
        if type(owner) is type(serializer):
            return True
        owner = owner.parent
    return False


def _directions(
    schema: AutoSchema, serializer: Serializer, name: str
) -> Iterator[tuple[str | None, tree.Schema]]:
    form: FullForm = schema.document_form
    around = {**form.around, type(serializer): name}
    form.inspection.unfinished.add(name)
    try:
        for direction in (RESPONSE, REQUEST):
            inner = form.towards(direction, around)
            described = bound(schema, inner).map_serializer(serializer)
            yield direction, described
    finally:
        form.inspection.unfinished.discard(name)
    yield PATCH, without_demands(described)


def bound(schema: AutoSchema, form: ContractForm | FullForm) -> AutoSchema:
    """Return a copy of a schema object for a form; ``copy`` takes long to find out how."""
    cls = type(schema)
    result = cls.__new__(cls)
    vars(result).update(vars(schema), document_form=form)
    return result


def without_demands(schema: tree.Schema) -> tree.Schema:
    """Return a schema for PATCH: nothing is required, and no defaults apply."""
    if not isinstance(schema, Mapping):
        return schema
    loose = {key: value for key, value in schema.items() if key != "required"}
    if "discriminator" in loose and "oneOf" in loose:
        # Objects that may omit their kind may be of several.
        return {"anyOf": loose["oneOf"]}
    properties = loose.get("properties")
    if isinstance(properties, Mapping):
        loose["properties"] = {
            name: {key: said for key, said in value.items() if key != "default"}
            if isinstance(value, (dict, Mapping)) and "default" in value
            else value
            for name, value in properties.items()
        }
    return loose


def _app_of(cls: type) -> str:
    parts = [part for part in cls.__module__.split(".") if part not in ("serializers", "api")]
    return (parts[-1] if parts else cls.__module__).title().replace("_", "")


def add_shared(inspection: Inspection, name: str, schema: Schema) -> Schema:
    """Return a reference to a component of both directions, which is added if needed."""
    components, sources = inspection.components, inspection.sources
    component: dict[str | None, tree.Schema] = {None: schema}
    for candidate in numbered(valid_name(name)):
        is_same = components.get(candidate, component) == component
        if is_same and sources.get(candidate, candidate) is not None:
            break
    components[candidate] = component
    sources.setdefault(candidate, candidate)
    return reference_to(candidate)


def reserve_shared(inspection: Inspection, name: str, schema: Schema) -> Schema:
    """Return a reference to a separate component that can be filled in later."""
    taken = inspection.components.keys() | inspection.sources.keys()
    candidate = next(text for text in numbered(valid_name(name)) if text not in taken)
    inspection.components[candidate] = {None: schema}
    inspection.sources[candidate] = candidate
    return reference_to(candidate)


def add_direction(inspection: Inspection, direction: str, name: str, schema: Schema) -> Schema:
    """Return a reference to a component that is described in one direction, at least."""
    for candidate in numbered(valid_name(name)):
        component = inspection.components.setdefault(candidate, {})
        if component.setdefault(direction, schema) == schema:
            break
    inspection.sources.setdefault(candidate, candidate)
    if direction == REQUEST:
        component[PATCH] = without_demands(schema)
    return reference_to(candidate)


def references(schema: object) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, dict):
            for word, inner in value.items():
                # Names of properties are not keywords: one may be called "$ref".
                if word in NAMED and isinstance(inner, dict):
                    waiting += inner.values()
                elif not isinstance(inner, str):
                    waiting.append(inner)
                elif word == "$ref" and (name := name_of_reference(inner)) is not None:
                    yield name


def _used_by(component: Mapping[str | None, tree.Schema]) -> dict[str | None, frozenset[str]]:
    result = {
        direction: frozenset(references(schema))
        for direction, schema in component.items()
        if direction != PATCH
    }
    if PATCH in component:
        # It refers to what other requests refer to: only demands are left out.
        result[PATCH] = result[REQUEST if REQUEST in result else RESPONSE]
    return result


class Names:
    """Names of components by direction: ``Foo``, ``FooRequest``, ``PatchedFooRequest``."""

    def __init__(self, components: Mapping[str, Mapping[str | None, tree.Schema]]) -> None:
        self.components = components
        self.used: Used = {name: _used_by(component) for name, component in components.items()}
        self.requests = split(components, self.used, RESPONSE, REQUEST)
        self.patches = split(components, self.used, REQUEST, PATCH)

    def name(self, component: str, direction: str) -> str:
        by_direction = self.components.get(component)
        direction = self.direction(component, direction)
        if by_direction is None or None in by_direction or direction == RESPONSE:
            return component
        if direction == PATCH and component in self.patches:
            is_joined = REQUEST not in by_direction and component not in self.requests
            return self.free(f"Patched{component}{'' if is_joined else 'Request'}")
        return self.free(f"{component}Request") if component in self.requests else component

    def direction(self, component: str, direction: str) -> str:
        """Return the direction that is described: a name may say that it is for a PATCH already."""
        is_named = direction == PATCH and component.startswith("Patched")
        return REQUEST if is_named else direction

    def free(self, name: str) -> str:
        """Return ``name``, or the next variant that is not the name of another component."""
        while name in self.components:
            name += "Body"
        return name

    def schema(self, component: str, direction: str) -> tree.Schema:
        return of_direction(self.components[component], self.direction(component, direction), {})


def split(
    components: Mapping[str, Mapping[str | None, tree.Schema]], used: Used, first: str, other: str
) -> frozenset[str]:
    split_now = {
        name
        for name, by_direction in components.items()
        if None not in by_direction
        and of_direction(by_direction, first, None) != of_direction(by_direction, other, None)
    }
    users: dict[str, set[str]] = {}
    for name, by_direction in used.items():
        for inner in chain.from_iterable(by_direction.values()):
            users.setdefault(inner, set()).add(name)
    waiting = list(split_now)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in split_now:
                split_now.add(user)
                waiting.append(user)
    return frozenset(split_now)


def used_from(names: Names, roots: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return all components, each with a direction, that the given ones refer to."""
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        component, direction = waiting.pop()
        written = names.name(component, direction)
        if component not in names.components or written in seen:
            continue
        seen.add(written)
        yield component, direction
        names_used = of_direction(names.used[component], direction, frozenset())
        waiting += [(name, direction) for name in names_used]


def of_direction(given: Mapping[str | None, ResultT], direction: str, default: ResultT) -> ResultT:
    """Return what is known of a direction; without a word about it, what is of responses."""
    return given[None] if None in given else given.get(direction, given.get(RESPONSE, default))
