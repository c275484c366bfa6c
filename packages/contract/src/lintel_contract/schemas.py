"""Compare two schemas: types, values, properties, alternatives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lintel_contract.findings import Direction, Findings, Node
from lintel_contract.places import Document, Place
from lintel_contract.shapes import Bound, Places, Shape, bare, has_null, identity

#: Numeric keywords of JSON Schema: whether a larger number allows more.
_SIZES = {
    "maxLength": True,
    "minLength": False,
    "maxItems": True,
    "minItems": False,
    "maxProperties": True,
    "minProperties": False,
    "maxContains": True,
    "minContains": False,
}

#: Formats that include another one.
_WIDER = {
    ("ipv4", "ip"),
    ("ipv6", "ip"),
    ("email", "idn-email"),
    ("hostname", "idn-hostname"),
    ("uri", "uri-reference"),
    ("uri", "iri"),
}

#: Formats that exclude no number that a JSON client would send.
_PLAIN = ("int64", "double")

#: Keywords that are not analysed; only that they changed is reported.
_OTHERS = (
    *("not", "if", "then", "else", "contains", "propertyNames", "patternProperties"),
    *("dependentSchemas", "dependentRequired", "unevaluatedItems", "contentSchema"),
    *("contentEncoding", "contentMediaType", "xml"),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two shapes being compared, and where to record differences."""

    findings: Findings
    node: Node
    old: Shape
    new: Shape
    direction: Direction

    def note(
        self, code: str, *, old_at: Place | None = None, new_at: Place | None = None, **values: Any
    ) -> None:
        """Record a change at the pair, or at places in it."""
        where = (old_at or self.old.place, new_at or self.new.place)
        self.findings.add(self.node, code, where, self.direction, **values)

    def lead_to(self, old: Places, new: Places) -> None:
        """Compare schemas inside the pair."""
        compare_schemas(self.findings, self.node, old, new, self.direction)


def compare_schemas(
    findings: Findings, parent: Node, old: Places, new: Places, direction: Direction
) -> None:
    """Compare two schemas, each with its joined places, once per direction."""
    before = Shape(findings.old, old, findings.step)
    after = Shape(findings.new, new, findings.step)
    key = (before.key, after.key, direction)
    findings.node(
        key, parent, lambda node: _compare(Pair(findings, node, before, after, direction))
    )


def _compare(pair: Pair) -> None:
    if _one_allows_anything(pair):
        return
    if _one_is_a_variant(pair) or not _compare_types(pair):
        return
    for compare in _COMPARISONS:
        compare(pair)


def _one_allows_anything(pair: Pair) -> bool:
    if pair.old.is_anything is pair.new.is_anything:
        return False
    pair.note("schema-added" if pair.old.is_anything else "schema-removed")
    return True


def _one_is_a_variant(pair: Pair) -> bool:
    """Return whether a schema became one of several alternatives, or the only one left."""
    if bool(pair.old.variants) == bool(pair.new.variants):
        return False
    many, single = (pair.new, pair.old) if pair.new.variants else (pair.old, pair.new)
    parts = tuple(part for part in single.parts if not has_null(single.document, part))
    names = {place.pointer.rpartition("/")[2] for place in parts}
    alike = set(map(bare, parts[:1]))
    same = [
        place for place in many.variants if _variant_name(place) in names or bare(place) in alike
    ]
    if not same:
        return False
    for place in many.variants:
        if place in same:
            continue
        if many is pair.new:
            pair.note("variant-added", name=_short(_variant_name(place)), new_at=place)
        else:
            pair.note("variant-removed", name=_short(_variant_name(place)), old_at=place)
    _compare_nulls(pair, _may_be_null(pair, pair.old), _may_be_null(pair, pair.new))
    if bare(same[0]) not in alike:
        pair.lead_to(*((parts, (same[0],)) if many is pair.new else ((same[0],), parts)))
    return True


def _may_be_null(pair: Pair, shape: Shape) -> bool:
    """Return whether null fits a schema or one of its alternatives."""
    document = pair.findings.old if shape is pair.old else pair.findings.new
    inner = (Shape(document, (place,), pair.findings.step) for place in shape.variants)
    return any(candidate.allows_null is True for candidate in (shape, *inner))


#: Pointers into the schema of a parameter, which is sent as text: nobody can send null there.
_OF_PARAMETER = re.compile(r"/(paths/[^/]+(/[^/]+)?|components)/parameters/[^/]+/schema(/|$)")


def _compare_nulls(pair: Pair, old: bool | None, new: bool | None) -> None:
    places = (pair.old.place, pair.new.place)
    if all(place is not None and _OF_PARAMETER.match(place.pointer) for place in places):
        return
    if old is False and new:
        pair.note("null-allowed")
    elif old and new is False:
        pair.note("null-refused")


def _words(types: frozenset[str] | None) -> str:
    return "any" if types is None else " or ".join(sorted(types)) or "none"


def _with_integers(types: frozenset[str]) -> frozenset[str]:
    return types | {"integer"} if "number" in types else types


def _compare_types(pair: Pair) -> bool:
    """Record how the types differ; return whether comparing further makes sense."""
    old, new = pair.old.types, pair.new.types
    if old != new:
        pair.note(_code_of_types(old, new), old=_words(old), new=_words(new))
    if old and new and not _with_integers(old) & _with_integers(new):
        return False
    _compare_nulls(pair, pair.old.allows_null, pair.new.allows_null)
    return True


def _code_of_types(old: frozenset[str] | None, new: frozenset[str] | None) -> str:
    if old is None:
        return "type-narrowed"
    if new is None:
        return "type-widened"
    if _with_integers(new) < _with_integers(old):
        return "type-narrowed"
    if _with_integers(old) < _with_integers(new):
        return "type-widened"
    return "type-changed"


def _format(shape: Shape) -> Any:
    name = shape.first("format")
    return None if name in _PLAIN else name


def _compare_formats(pair: Pair) -> None:
    old, new = (_format(shape) for shape in (pair.old, pair.new))
    if old == new:
        return
    if (old, new) in _WIDER:
        pair.note("format-widened", old=old, new=new)
    elif (new, old) in _WIDER:
        pair.note("format-narrowed", old=old, new=new)
    else:
        _note_difference(pair, "format", old, new)


def _note_difference(pair: Pair, name: str, old: Any, new: Any) -> None:
    """Record that a value was added, removed or changed."""
    if old is None:
        pair.note(f"{name}-added", new=new)
    elif new is None:
        pair.note(f"{name}-removed", old=old)
    else:
        pair.note(f"{name}-changed", old=old, new=new)


def _compare_choices(pair: Pair) -> None:
    old, new = pair.old.choices, pair.new.choices
    if old is None and new is not None:
        pair.note("choices-added", new=list(new.values()))
    elif old is not None and new is None:
        pair.note("choices-removed", old=list(old.values()))
    elif old is not None and new is not None:
        for key in new.keys() - old.keys():
            pair.note("choice-added", new=new[key])
        for key in old.keys() - new.keys():
            pair.note("choice-removed", old=old[key])


def _note_bound(pair: Pair, name: str, old: Any, new: Any, widened: bool) -> None:
    if old == new:
        return
    if old is None:
        pair.note("bound-added", name=name, new=new)
    elif new is None:
        pair.note("bound-removed", name=name, old=old)
    else:
        code = "bound-widened" if widened else "bound-narrowed"
        pair.note(code, name=name, old=old, new=new)


def _compare_bounds(pair: Pair) -> None:
    for upper, name in ((False, "minimum"), (True, "maximum")):
        old, new = pair.old.bound(upper), pair.new.bound(upper)
        _note_bound(pair, name, _said(old), _said(new), _is_wider(old, new, upper))
    for name, more in _SIZES.items():
        narrowest = min if more else max
        before, after = pair.old.number(name, narrowest), pair.new.number(name, narrowest)
        widened = before is not None and after is not None and (after > before) is more
        _note_bound(pair, name, before, after, widened)


def _said(bound: Bound | None) -> Any:
    if bound is None:
        return None
    return f"{bound.value} (exclusive)" if bound.exclusive else bound.value


def _is_wider(old: Bound | None, new: Bound | None, upper: bool) -> bool:
    if old is None or new is None:
        return new is None
    if old.value == new.value:
        return old.exclusive
    return (new.value > old.value) is upper


def _compare_multiples(pair: Pair) -> None:
    old, new = pair.old.number("multipleOf", max), pair.new.number("multipleOf", max)
    if old == new or 0 in (old, new):
        return
    if old is not None and new is not None and old % new and new % old:
        pair.note("multiple-changed", old=old, new=new)
    else:
        widened = bool(old and new and old % new == 0)
        _note_bound(pair, "multipleOf", old, new, widened)


def _compare_texts(pair: Pair) -> None:
    old, new = (sorted(map(str, shape.values("pattern"))) for shape in (pair.old, pair.new))
    if old != new:
        _note_difference(pair, "pattern", " and ".join(old) or None, " and ".join(new) or None)
    before, after = pair.old.flag("uniqueItems"), pair.new.flag("uniqueItems")
    if before != after:
        pair.note("uniqueness-added" if after else "uniqueness-removed")


def _compare_annotations(pair: Pair) -> None:
    old, new = pair.old.values("default")[:1], pair.new.values("default")[:1]
    if not new and old:
        pair.note("default-removed", old=old[0])
    elif not old and new:
        pair.note("default-added", new=new[0])
    elif list(map(identity, old)) != list(map(identity, new)):
        pair.note("default-changed", old=old[0], new=new[0])
    if pair.new.flag("deprecated") and not pair.old.flag("deprecated"):
        pair.note("deprecated")


def _visible(document: Document, shape: Shape, pair: Pair) -> dict[str, Shape]:
    """Return the properties visible in the direction: readOnly ones are never sent, and so on."""
    hidden = "readOnly" if pair.direction is Direction.SENT else "writeOnly"
    shapes = {
        name: Shape(document, places, pair.findings.step)
        for name, places in shape.properties.items()
    }
    return {name: shape for name, shape in shapes.items() if not shape.flag(hidden)}


def _compare_properties(pair: Pair) -> None:
    old = _visible(pair.findings.old, pair.old, pair)
    new = _visible(pair.findings.new, pair.new, pair)
    for name, shape in new.items():
        if name not in old:
            _note_new_property(pair, name, shape)
    for name, shape in old.items():
        if name in new:
            pair.lead_to(pair.old.properties[name], pair.new.properties[name])
            _compare_presence(pair, name, shape, new[name])
        else:
            code = "property-removed"
            code = f"deprecated-{code}" if shape.flag("deprecated") else code
            pair.note(code, name=name, old_at=shape.place)
    _compare_undescribed(pair, {*old, *new})


def _compare_undescribed(pair: Pair, described: set[str]) -> None:
    """Compare names in ``required`` that have no schema of their own."""
    before = pair.old.required - described - pair.old.properties.keys()
    after = pair.new.required - described - pair.new.properties.keys()
    for name in sorted(after - before):
        pair.note("property-became-required", name=name)
    for name in sorted(before - after):
        pair.note("property-became-optional", name=name)


def _note_new_property(pair: Pair, name: str, shape: Shape) -> None:
    code = "property-added"
    if name in pair.new.required:
        code = "required-property-added"
    elif pair.old.is_closed:
        code = "property-added-to-closed"
    pair.note(code, name=name, new_at=shape.place)


def _compare_presence(pair: Pair, name: str, old: Shape, new: Shape) -> None:
    before, after = name in pair.old.required, name in pair.new.required
    if before != after:
        code = "property-became-required" if after else "property-became-optional"
        pair.note(code, name=name, old_at=old.place, new_at=new.place)


def _compare_further_properties(pair: Pair) -> None:
    before, after = pair.old.is_closed, pair.new.is_closed
    if before != after:
        pair.note("further-properties-refused" if after else "further-properties-allowed")
    _lead_to_schemas(pair, "additionalProperties")


def _lead_to_schemas(pair: Pair, keyword: str) -> None:
    old, new = pair.old.schemas(keyword), pair.new.schemas(keyword)
    values = [place.value for place in (*old, *new)]
    if (old or new) and not any(value is False for value in values):
        pair.lead_to(old, new)


def _compare_elements(pair: Pair) -> None:
    _lead_to_schemas(pair, "items")
    old, new = (_prefix(shape) for shape in (pair.old, pair.new))
    for before, after in zip(old, new, strict=False):
        pair.lead_to((before,), (after,))
    if len(old) != len(new):
        pair.note("keyword-changed", name="prefixItems")


def _prefix(shape: Shape) -> list[Place]:
    return [place for part in shape.parts for place in part.elements("prefixItems")]


def _compare_others(pair: Pair) -> None:
    for keyword in _OTHERS:
        old, new = ([*map(identity, shape.values(keyword))] for shape in (pair.old, pair.new))
        pair.findings.step(sum(map(len, old)) // 64)
        if old != new:
            pair.note("keyword-changed", name=keyword)
    _compare_unread_references(pair)


def _compare_unread_references(pair: Pair) -> None:
    """Compare references to other documents by their text."""
    old, new = pair.old.first("$ref"), pair.new.first("$ref")
    if old != new:
        pair.note("reference-changed", old=old, new=new)


def _variant_name(place: Place) -> str:
    """Return what identifies an alternative, whatever its position."""
    reference = place.get("$ref", str)
    if reference is not None:
        return reference.rpartition("/")[2]
    title = place.get("title", str)
    return title if title is not None else identity(place.value)


def _compare_variants(pair: Pair) -> None:
    old = {_variant_name(place): place for place in pair.old.variants}
    new = {_variant_name(place): place for place in pair.new.variants}
    if bool(old) != bool(new):
        pair.note("variants-added" if new else "variants-removed")
        return
    pair.findings.step(sum(map(len, (*old, *new))) // 64)
    _pair_by_order(old, new)
    for name, place in old.items():
        if name in new:
            pair.lead_to((place,), (new[name],))
        else:
            pair.note("variant-removed", name=_short(name), old_at=place)
    for name in new.keys() - old.keys():
        pair.note("variant-added", name=_short(name), new_at=new[name])
    _compare_discriminators(pair)


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def _pair_by_order(old: dict[str, Place], new: dict[str, Place]) -> None:
    """Pair unnamed alternatives that changed inside, in order."""
    gone = [name for name in old if name not in new and name.startswith("{")]
    come = [name for name in new if name not in old and name.startswith("{")]
    if len(gone) == len(come):
        for before, after in zip(gone, come, strict=True):
            new[before] = new.pop(after)


def _compare_discriminators(pair: Pair) -> None:
    old, new = (_discriminator(shape) for shape in (pair.old, pair.new))
    if old[0] != new[0]:
        pair.note("discriminator-changed", old=old[0], new=new[0])
        return
    for value in sorted(new[1] - old[1]):
        pair.note("discriminator-value-added", new=value)
    for value in sorted(old[1] - new[1]):
        pair.note("discriminator-value-removed", old=value)


def _discriminator(shape: Shape) -> tuple[str | None, set[str]]:
    value = shape.first("discriminator")
    if isinstance(value, str):
        return value, set()
    if not isinstance(value, dict):
        return None, set()
    mapping = value.get("mapping")
    values = {str(key) for key in mapping} if isinstance(mapping, dict) else set()
    name = value.get("propertyName")
    return name if isinstance(name, str) else None, values


_COMPARISONS = (
    _compare_formats,
    _compare_choices,
    _compare_bounds,
    _compare_multiples,
    _compare_texts,
    _compare_annotations,
    _compare_properties,
    _compare_further_properties,
    _compare_elements,
    _compare_variants,
    _compare_others,
)
