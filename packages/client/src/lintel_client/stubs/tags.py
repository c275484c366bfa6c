"""Discriminators (OpenAPI 3.2, 4.25): literal tags of the records that they tell apart."""

from collections.abc import Iterator, Mapping, Sequence

from lintel_client.stubs.kinds import Kind, Literals, Member, Plain, Record, Ref
from lintel_document.jsonschema import JSONSchema

__all__ = ["Tags"]

Option = tuple[JSONSchema, Kind]


class Tags:
    """Collects the tags of records, and writes them when all members are known."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[str]] = {}

    def note(self, schema: JSONSchema, options: Sequence[Option]) -> None:
        """Note the values that the discriminator of a schema has for its alternatives."""
        said = schema.source.get("discriminator")
        name = said.get("propertyName") if isinstance(said, Mapping) else None
        if not isinstance(said, Mapping) or not isinstance(name, str):
            return
        mapping = said.get("mapping")
        for option, kind in options:
            if isinstance(kind, Ref):
                values = list(_values(option, mapping if isinstance(mapping, Mapping) else {}))
                noted = self._values.setdefault((kind.name, name), [])
                noted += [value for value in values if value not in noted]

    def write(self, records: Mapping[str, Record]) -> None:
        """Give the noted members their literal types, unless they have literals already."""
        for (record, name), values in self._values.items():
            members = records[record].members
            if not values:
                continue
            place = next((at for at, each in enumerate(members) if each.name == name), None)
            tag = Literals(tuple(values))
            if place is None:
                members.insert(0, Member(name, tag, required=True))
            elif _takes(members[place].kind, values):
                members[place] = Member(name, tag, True, members[place].description)


def _takes(kind: Kind, values: Sequence[str]) -> bool:
    """Return whether a member of a type may have less: the values of a tag."""
    if isinstance(kind, Literals):
        return set(values) <= set(kind.values)
    return kind == Plain("string")


def _values(option: JSONSchema, mapping: Mapping[str, object]) -> Iterator[str]:
    reference = option.source.get("$ref")
    if not isinstance(reference, str):
        return
    component = reference.rpartition("/")[2]
    named = [str(key) for key, target in mapping.items() if _component(target) == component]
    yield from named or [component]


def _component(target: object) -> str:
    return str(target).rpartition("/")[2]
