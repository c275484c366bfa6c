"""What the libraries of models differ in: decorators, bases, defaults and imports."""

from collections.abc import Iterator
from dataclasses import dataclass

from lintel_client.stubs.spelling import quoted

__all__ = ["STYLES", "Style"]


@dataclass(frozen=True, slots=True)
class Style:
    """How one library is written. ``taken`` are names that no member may have."""

    name: str
    decorator: str
    base: str
    field: str
    taken: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    typing: tuple[str, ...] = ()

    def value(self, default: str, key: str) -> str:
        """Return what is assigned to a member: its default, and its name in JSON if it differs."""
        if not key:
            return default
        first = f"default={default}, " if default else ""
        if self.name == "pydantic":
            alias = quoted(key)
            return f"{self.field}({first}validation_alias={alias}, serialization_alias={alias})"
        return f'{self.field}({first}metadata={{"name": {quoted(key)}}})'

    def standard(self, needed: set[str]) -> Iterator[str]:
        """Return what is imported from the standard library."""
        if self.name == "dataclasses":
            names = ["dataclass", *(["field"] if "field" in needed else [])]
            yield f"from dataclasses import {', '.join(names)}"

    def foreign(self, needed: set[str]) -> Iterator[str]:
        """Return what is imported from the library."""
        if self.name == "attrs":
            names = ["define", *(["field"] if "field" in needed else [])]
            yield f"from attrs import {', '.join(names)}"
        if self.name == "pydantic":
            names = ["BaseModel", "ConfigDict", *(["Field"] if "field" in needed else [])]
            yield f"from pydantic import {', '.join(names)}"


_OF_PYDANTIC = (
    *("construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"),
    *("schema", "schema_json", "update_forward_refs", "validate", "model_computed_fields"),
    *("model_config", "model_construct", "model_copy", "model_dump", "model_dump_json"),
    *("model_extra", "model_fields", "model_fields_set", "model_json_schema"),
    *("model_parametrized_name", "model_post_init", "model_rebuild", "model_validate"),
    *("model_validate_json", "model_validate_strings"),
)
_BASE_OF_PYDANTIC = (
    "",
    "",
    "class _Base(BaseModel, Model):",
    "    model_config = ConfigDict(populate_by_name=True, protected_namespaces=())",
    "",
)

STYLES = {
    "dataclasses": Style("dataclasses", "@dataclass(kw_only=True, slots=True)", "Model", "field"),
    "attrs": Style("attrs", "@define(kw_only=True)", "Model", "field"),
    "pydantic": Style(
        "pydantic", "", "_Base", "Field", taken=_OF_PYDANTIC, shared=_BASE_OF_PYDANTIC
    ),
}
