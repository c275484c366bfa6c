"""The tags that group the operations of a description."""

from typing import Any

from lintel_codecs.issues import pointer
from lintel_codecs.openapi.description import Description, as_list, as_mapping, as_text
from lintel_document.operations import Tag

__all__ = ["read_tags", "written_tag"]


def read_tags(description: Description) -> list[Tag]:
    """Return the tags of a description; report an issue for each without a name."""
    found = []
    for number, node in enumerate(as_list(description.root.get("tags"))):
        raw = as_mapping(node)
        if not isinstance(raw.get("name"), str):
            description.note(pointer("#/tags", number), "A tag must be an object with a name")
            continue
        url = as_text(as_mapping(raw.get("externalDocs")).get("url"))
        texts = {name: as_text(raw.get(name)) for name in ("summary", "description", "parent")}
        found.append(Tag(raw["name"], url=url, **texts))
    return found


def written_tag(tag: Tag) -> dict[str, Any]:
    """Return a tag as OpenAPI writes it; ``summary`` and ``parent`` were added in 3.2."""
    texts = {name: getattr(tag, name) for name in ("summary", "description", "parent")}
    written: dict[str, Any] = {"name": tag.name, **{k: v for k, v in texts.items() if v}}
    return {**written, "externalDocs": {"url": tag.url}} if tag.url else written
