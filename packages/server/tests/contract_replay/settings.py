"""Settings: every key with its default, and whether dotted names are imported."""

from pathlib import Path
from typing import Any

from contract_replay import target
from contract_replay.cases import Case, Suite, read
from contract_replay.names import own_text

Facts = dict[str, Any]


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "settings.json")
    removed = recorded["removed_settings"]
    return [
        *(Case(key, "settings", each) for key, each in recorded["settings"].items()),
        *(Case(key, "removed", {"removed": True}) for key in removed),
        Case("user_settings_attribute", "attribute", {"key": recorded["user_settings_attribute"]}),
    ]


def expected(case: Case) -> Any:
    return case.facts


def play(case: Case) -> Any:
    module = target.current.module("settings")
    if case.group == "removed":
        return {"removed": case.id in module.REMOVED_SETTINGS}
    if case.group == "attribute":
        return {"key": target.current.settings_key}
    if case.id not in module.DEFAULTS:
        return {"missing": case.id}
    imported = case.id in module.IMPORT_STRINGS
    return {"default": observed(module.DEFAULTS[case.id]), "import_string": imported}


def observed(value: Any) -> Any:
    """A default with the package's own name in the place of the observed package's."""
    if isinstance(value, (list, tuple)):
        return [observed(item) for item in value]
    if isinstance(value, dict):
        return {key: observed(item) for key, item in value.items()}
    return own_text(value) if isinstance(value, str) else value


SUITE = Suite("settings", load, expected, play)
