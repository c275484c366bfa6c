"""Descriptions in YAML; the only module of this package that imports PyYAML."""

from __future__ import annotations

from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):
    """Keeps dates and times as text, as JSON would."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in _Base.yaml_implicit_resolvers.items()
}


def read(text: str) -> Any:
    """Return the content of a YAML document. Raises ValueError for invalid text."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a safe loader, by its base
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
