"""The effect of each kind of change on clients written for the old description.

A change is *breaking* if a valid call may now be rejected, or a response contains what the old
description ruled out. It is *risky* if the exchange still works, but a client that relies on a
closed list of values, or on generated code, may fail. Everything else is *harmless*.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """The severity of a change; the order is that of the report."""

    BREAKING = 0
    RISKY = 1
    HARMLESS = 2

    @property
    def word(self) -> str:
        """Return the level as written in reports."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Rule:
    """The level of a change in what clients send and in what they receive, and its message.

    ``text`` may name ``{name}``, ``{old}`` and ``{new}``.
    """

    sent: Level
    received: Level
    text: str


BREAKING, RISKY, HARMLESS = Level


def _always(level: Level, text: str) -> Rule:
    return Rule(level, level, text)


#: Whole operations, and what surrounds their messages.
_OPERATIONS = {
    "operation-added": _always(HARMLESS, "the operation is new"),
    "operation-removed": _always(BREAKING, "the operation is gone"),
    "deprecated-operation-removed": _always(
        RISKY, "the operation is gone; it was deprecated, without an end date"
    ),
    "operation-removed-after-sunset": _always(
        HARMLESS, "the operation is gone, as announced for {old}"
    ),
    "operation-removed-before-sunset": _always(
        BREAKING, "the operation is gone before its announced end {old}"
    ),
    "operation-deprecated": _always(HARMLESS, "the operation is deprecated"),
    "operation-undeprecated": _always(HARMLESS, "the operation is no longer deprecated"),
    "sunset-added": _always(HARMLESS, "the operation ends on {new}"),
    "sunset-earlier": _always(RISKY, "the operation ends on {new}, earlier than {old}"),
    "sunset-later": _always(HARMLESS, "the operation ends on {new} instead of {old}"),
    "sunset-removed": _always(HARMLESS, "the end of the operation, {old}, is called off"),
    "operation-id-added": _always(HARMLESS, "the operation has the identifier {new}"),
    "operation-id-removed": _always(RISKY, "the identifier {old} is gone"),
    "operation-id-changed": _always(RISKY, "the identifier {old} became {new}"),
    "tag-added": _always(HARMLESS, "the tag {new} is new"),
    "tag-removed": _always(RISKY, "the tag {old} is gone"),
    "path-parameter-renamed": _always(
        RISKY, "the path parameter {old} is called {new}; the path is the same"
    ),
    "server-added": _always(HARMLESS, "the server {new} is new"),
    "server-removed": _always(RISKY, "the server {old} is gone"),
    "component-removed": _always(RISKY, "the schema {name} is no longer named"),
}

_SECURITY = {
    "security-added": _always(BREAKING, "calls need credentials: {new}"),
    "security-removed": _always(HARMLESS, "calls no longer need credentials"),
    "anonymous-refused": _always(BREAKING, "calls without credentials are refused"),
    "anonymous-allowed": _always(HARMLESS, "calls without credentials are allowed"),
    "security-alternative-added": _always(HARMLESS, "calls may authenticate by {new}"),
    "security-alternative-removed": _always(BREAKING, "calls cannot authenticate by {old}"),
    "security-scope-added": _always(BREAKING, "{name} needs the scope {new}"),
    "security-scope-removed": _always(HARMLESS, "{name} does not need the scope {old}"),
    "security-scheme-renamed": _always(RISKY, "the security scheme {old} is called {new}"),
    "security-scheme-changed": _always(RISKY, "the addresses of {name} changed"),
}

_PARAMETERS = {
    "parameter-added": _always(HARMLESS, "the {name} is new"),
    "required-parameter-added": _always(BREAKING, "the {name} is new and required"),
    "parameter-removed": _always(BREAKING, "the {name} is gone"),
    "deprecated-parameter-removed": _always(RISKY, "the {name}, which was deprecated, is gone"),
    "parameter-moved": _always(BREAKING, "the {name} moved from {old} to {new}"),
    "parameter-became-required": _always(BREAKING, "the {name} became required"),
    "parameter-became-optional": _always(HARMLESS, "the {name} became optional"),
    "parameter-deprecated": _always(HARMLESS, "the {name} is deprecated"),
    "parameter-style-changed": _always(BREAKING, "the {name} is written as {new}, not as {old}"),
    "empty-value-refused": _always(BREAKING, "the {name} may no longer be empty"),
    "empty-value-allowed": _always(HARMLESS, "the {name} may be empty"),
}

_MESSAGES = {
    "body-added": _always(HARMLESS, "a request body is new"),
    "required-body-added": _always(BREAKING, "a request body is new and required"),
    "body-removed": _always(BREAKING, "the request body is gone"),
    "body-became-required": _always(BREAKING, "the request body became required"),
    "body-became-optional": _always(HARMLESS, "the request body became optional"),
    "media-type-added": _always(HARMLESS, "the media type {name} is new"),
    "media-type-removed": _always(BREAKING, "the media type {name} is gone"),
    "encoding-changed": _always(RISKY, "the encoding of the parts of {name} changed"),
    "success-added": Rule(HARMLESS, RISKY, "the status {name} is new"),
    "success-removed": _always(BREAKING, "the status {name} is gone"),
    # Clients treat an unknown error as the first of its range (RFC 9110, section 15).
    "error-added": _always(HARMLESS, "the error status {name} is new"),
    "error-removed": _always(RISKY, "the error status {name} is gone"),
    "header-added": _always(HARMLESS, "the header {name} is new"),
    "header-removed": _always(RISKY, "the header {name} is gone"),
    "required-header-removed": _always(BREAKING, "the header {name}, always sent so far, is gone"),
    "header-became-required": _always(HARMLESS, "the header {name} is always sent"),
    "header-became-optional": _always(BREAKING, "the header {name} may be missing"),
    "link-added": _always(HARMLESS, "the link {name} is new"),
    "link-removed": _always(RISKY, "the link {name} is gone"),
    "link-changed": _always(RISKY, "the link {name} leads elsewhere"),
}

_PROPERTIES = {
    "property-added": _always(HARMLESS, "the property {name} is new"),
    "required-property-added": Rule(BREAKING, HARMLESS, "the property {name} is new and required"),
    "property-added-to-closed": Rule(
        HARMLESS, RISKY, "the property {name} is new in an object without further properties"
    ),
    "property-removed": _always(BREAKING, "the property {name} is gone"),
    "deprecated-property-removed": _always(
        RISKY, "the property {name}, which was deprecated, is gone"
    ),
    "property-became-required": Rule(BREAKING, HARMLESS, "the property {name} became required"),
    "property-became-optional": Rule(HARMLESS, BREAKING, "the property {name} became optional"),
    "further-properties-refused": Rule(BREAKING, HARMLESS, "further properties are ruled out"),
    "further-properties-allowed": Rule(HARMLESS, RISKY, "further properties are allowed"),
    "deprecated": _always(HARMLESS, "the schema is deprecated"),
    "default-changed": Rule(RISKY, HARMLESS, "the default {old} became {new}"),
    "default-added": Rule(RISKY, HARMLESS, "the default {new} is new"),
    "default-removed": Rule(RISKY, HARMLESS, "the default {old} is gone"),
}

_VALUES = {
    "type-changed": _always(BREAKING, "the type {old} became {new}"),
    "type-narrowed": Rule(BREAKING, HARMLESS, "the type {old} was narrowed to {new}"),
    "type-widened": Rule(HARMLESS, BREAKING, "the type {old} was widened to {new}"),
    "null-refused": Rule(BREAKING, HARMLESS, "the value may no longer be null"),
    "null-allowed": Rule(HARMLESS, BREAKING, "the value may be null"),
    "format-changed": _always(BREAKING, "the format {old} became {new}"),
    "format-added": Rule(BREAKING, HARMLESS, "the format {new} is new"),
    "format-removed": Rule(HARMLESS, RISKY, "the format {old} is gone"),
    "format-narrowed": Rule(BREAKING, HARMLESS, "the format {old} was narrowed to {new}"),
    "format-widened": Rule(HARMLESS, RISKY, "the format {old} was widened to {new}"),
    "choices-added": Rule(BREAKING, HARMLESS, "only these values are left: {new}"),
    "choices-removed": Rule(HARMLESS, RISKY, "values beside {old} are allowed"),
    "choice-added": Rule(HARMLESS, RISKY, "the value {new} is new"),
    "choice-removed": Rule(BREAKING, HARMLESS, "the value {old} is gone"),
    "bound-narrowed": Rule(BREAKING, HARMLESS, "{name} was tightened from {old} to {new}"),
    "bound-widened": Rule(HARMLESS, RISKY, "{name} was loosened from {old} to {new}"),
    "bound-added": Rule(BREAKING, HARMLESS, "{name} {new} is new"),
    "bound-removed": Rule(HARMLESS, RISKY, "{name} {old} is gone"),
    "pattern-changed": _always(RISKY, "the pattern {old} became {new}"),
    "pattern-added": Rule(BREAKING, HARMLESS, "the pattern {new} is new"),
    "pattern-removed": Rule(HARMLESS, RISKY, "the pattern {old} is gone"),
    "multiple-changed": Rule(BREAKING, RISKY, "multipleOf {old} became {new}"),
    "uniqueness-added": Rule(BREAKING, HARMLESS, "elements must differ from each other"),
    "uniqueness-removed": Rule(HARMLESS, RISKY, "elements may be equal"),
    "variant-added": Rule(HARMLESS, RISKY, "the variant {name} is new"),
    "variant-removed": Rule(BREAKING, HARMLESS, "the variant {name} is gone"),
    "variants-added": Rule(BREAKING, HARMLESS, "the value must be one of several variants"),
    "variants-removed": Rule(HARMLESS, BREAKING, "the variants are gone"),
    "discriminator-changed": _always(BREAKING, "the discriminator {old} became {new}"),
    "discriminator-value-added": Rule(HARMLESS, RISKY, "the discriminator has the value {new}"),
    "discriminator-value-removed": Rule(
        BREAKING, HARMLESS, "the discriminator lacks the value {old}"
    ),
    "schema-added": Rule(BREAKING, HARMLESS, "a schema is new where anything was allowed"),
    "schema-removed": Rule(HARMLESS, BREAKING, "anything is allowed where a schema was"),
    "keyword-changed": _always(RISKY, "{name} changed; its effect is unknown"),
    "reference-changed": _always(
        RISKY, "the reference {old} became {new}; other documents are not read"
    ),
}

#: Every kind of change by its code.
RULES: dict[str, Rule] = {
    **_OPERATIONS,
    **_SECURITY,
    **_PARAMETERS,
    **_MESSAGES,
    **_PROPERTIES,
    **_VALUES,
}
