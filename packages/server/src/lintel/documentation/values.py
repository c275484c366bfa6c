"""Schemas for people: rows of names, types, bounds and descriptions, in HTML."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from lintel.documentation.examples import Examples, kind_of
from lintel.schemas.tree import Schema

#: Limits for the rows of a table and the nesting of tables. Schemas may contain themselves.
ROWS, DEPTH = 250, 6

CHOICES = 12


class Table:
    """Writes the rows of one schema. ``left`` is the number of rows that may still be written.

    ``is_sent``: whether clients send the values, and need to know which are required.
    """

    def __init__(self, examples: Examples, is_sent: bool = True) -> None:
        self.examples = examples
        self.is_sent = is_sent
        self.left = ROWS

    def write(self, schema: object) -> SafeString:
        """Write the properties of an object or of listed objects; else the value as one row."""
        inner, around = self.inside(schema)
        names = (schema_name(schema), schema_name(self.examples.resolve(schema).get("items")))
        if not inner.get("properties"):
            return _safe(f'<ul class="values">{self.row("", schema, False, (), DEPTH)}</ul>')
        title = f'<p class="note">{escape(around)}</p>' if around else ""
        return _safe(title + self.rows(inner, tuple(filter(None, names)), DEPTH))

    def rows(self, schema: Schema, above: tuple[str, ...], depth: int) -> str:
        required = schema.get("required", ())
        rows = []
        for name, value in schema["properties"].items():
            self.left -= 1
            if self.left < 0:
                rows.append("<li>…</li>")
                break
            rows.append(self.row(name, value, name in required, above, depth))
        return f'<ul class="values">{"".join(rows)}</ul>'

    def row(
        self, name: str, schema: object, is_required: bool, above: tuple[str, ...], depth: int
    ) -> str:
        resolved = self.examples.resolve(schema)
        parts = [f"<code>{escape(name)}</code>"] if name else []
        parts.append(f'<span class="type">{escape(self.type_text(schema))}</span>')
        if is_required and self.is_sent:
            parts.append(f'<span class="required">{escape(_("required"))}</span>')
        if resolved.get("deprecated"):
            parts.append(f'<span class="badge warn">{escape(_("deprecated"))}</span>')
        parts += [f'<span class="fact">{escape(text)}</span>' for text in facts_of(resolved)]
        values = [as_text(value) for value in choices_of(resolved, self.examples)]
        text, labels = _apart(str(resolved.get("description") or ""), values)
        if text:
            parts.append(f'<span class="note">{escape(text)}</span>')
        parts += (_choices(values, labels), self.nested(schema, above, depth))
        return f"<li>{' '.join(filter(None, parts))}</li>"

    def nested(self, schema: object, above: tuple[str, ...], depth: int) -> str:
        """Collapsed; nothing for a schema that contains itself."""
        html = ""
        for alternative in alternatives(self.examples.resolve(schema)) or [schema]:
            inner, _around = self.inside(alternative)
            items = self.examples.resolve(alternative).get("items")
            name = schema_name(alternative) or schema_name(items)
            if inner.get("properties") and depth and name not in above:
                rows = self.rows(inner, (*above, name) if name else above, depth - 1)
                title = escape(name or _("Properties"))
                html += f"<details><summary>{title}</summary>{rows}</details>"
        return html

    def inside(self, schema: object) -> tuple[Schema, str]:
        """Return the schema of an object in a value, and the value's type if it has several."""
        resolved = self.examples.resolve(schema)
        if kind_of(resolved) == "array":
            return self.examples.resolve(resolved.get("items", {})), self.type_text(schema)
        extra = resolved.get("additionalProperties")
        if not resolved.get("properties") and isinstance(extra, Mapping):
            return self.examples.resolve(extra), self.type_text(schema)
        return resolved, ""

    def type_text(self, schema: object) -> str:
        """Return ``string (date)``, ``array of Snippet``, ``integer or null``."""
        resolved = self.examples.resolve(schema)
        for word in ("oneOf", "anyOf"):
            if word in resolved:
                return _(" or ").join(dict.fromkeys(map(self.type_text, resolved[word])))
        kinds = resolved.get("type", kind_of(resolved))
        if isinstance(kinds, list | tuple):
            return _(" or ").join(self.one_type(kind, schema, resolved) for kind in kinds)
        return self.one_type(kinds, schema, resolved)

    def one_type(self, kind: str, schema: object, resolved: Schema) -> str:
        if kind == "array":
            return _("array of {type}").format(type=self.type_text(resolved.get("items", {})))
        if kind == "object":
            return schema_name(schema) or "object"
        if not kind:
            return _("anything")
        form = resolved.get("format")
        return f"{kind} ({form})" if form and kind != "null" else str(kind)


def alternatives(schema: Schema) -> list[object]:
    return [choice for word in ("oneOf", "anyOf") for choice in schema.get(word, ())]


def schema_name(schema: object) -> str:
    reference = schema.get("$ref", "") if isinstance(schema, Mapping) else ""
    return str(reference).rpartition("/")[2]


def facts_of(schema: Schema) -> Iterator[str]:
    yield from _range("", *bounds_of(schema))
    if "exclusiveMinimum" in schema:
        yield f"> {schema['exclusiveMinimum']}"
    if "exclusiveMaximum" in schema:
        yield f"< {schema['exclusiveMaximum']}"
    yield from _range(f"{_('length')} ", schema.get("minLength"), schema.get("maxLength"))
    yield from _range(f"{_('items')} ", schema.get("minItems"), schema.get("maxItems"))
    for name, label in (("multipleOf", _("multiple of")), ("pattern", _("pattern"))):
        if name in schema:
            yield f"{label} {schema[name]}"
    if "default" in schema:
        yield f"{_('default')} {as_json(schema['default'])}"


def bounds_of(schema: Schema) -> tuple[object, object]:
    size = {"int32": 2**31, "int64": 2**63}.get(str(schema.get("format")))
    low, high = schema.get("minimum"), schema.get("maximum")
    return (
        low if size is None or low != -size else None,
        None if size and high == size - 1 else high,
    )


def _range(label: str, low: object, high: object) -> Iterator[str]:
    if low is not None and high is not None:
        yield f"{label}{low} – {high}"  # noqa: RUF001 -- a range is written with this dash
    elif low is not None:
        yield f"{label}≥ {low}"
    elif high is not None:
        yield f"{label}≤ {high}"


#: A line of a description that names a value and its label.
_LABEL = re.compile(r"^\* `([^`\n]*)` - (.*)$\n?", re.MULTILINE)


def _apart(description: str, values: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return a description without the labels of the values, and these."""
    labels = {value: label for value, label in _LABEL.findall(description) if value in values}
    text = _LABEL.sub(lambda line: "" if line[1] in labels else line[0], description)
    return text.strip(), labels


def _choices(values: Sequence[str], labels: Mapping[str, str]) -> str:
    listed = (", " if labels else " ").join(_labelled(value, labels) for value in values)
    if len(values) <= CHOICES:
        return f'<span class="choices">{listed}</span>' if values else ""
    title = f"{escape(_('Values'))} ({len(values)})"
    return f'<details><summary>{title}</summary><p class="choices">{listed}</p></details>'


def _labelled(value: str, labels: Mapping[str, str]) -> str:
    """Return a value with its label, unless that is the same word."""
    label = labels.get(value, "")
    is_new = label.casefold() != value.casefold()
    return f"<code>{escape(value)}</code>{f' {escape(label)}' if label and is_new else ''}"


def choices_of(schema: Schema, examples: Examples) -> list[object]:
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if "items" in schema:
        return list(examples.resolve(schema["items"]).get("enum", ()))
    resolved = map(examples.resolve, alternatives(schema))
    return [value for choice in resolved for value in choice.get("enum", ())]


def as_text(value: object) -> str:
    """Non-empty strings unchanged, the rest as JSON."""
    return value if isinstance(value, str) and value else as_json(value)


def as_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, indent=indent)


def _safe(html: str) -> SafeString:
    return mark_safe(html)  # noqa: S308 -- every text in it is escaped
