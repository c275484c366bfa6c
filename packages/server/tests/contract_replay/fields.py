"""Field cases: validation and representation by fields and serializers."""

import warnings
from pathlib import Path
from typing import Any

from contract_replay import isolation, support, target, values
from contract_replay.cases import Case, Suite, any_error, prefix, raised, read

OUTCOME_KEYS = ("value", "errors", "raises", "valid", "validated_data", "saved", "data")


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "field_cases.json")["cases"]
    return [Case(facts["id"], prefix(facts["id"]), facts) for facts in recorded]


def expected(case: Case) -> Any:
    recorded = {key: case.facts[key] for key in OUTCOME_KEYS if key in case.facts}
    return values.plain(recorded)


def play(case: Case) -> Any:
    """Return the outcome of a case on the package under test."""
    with isolation.fresh(case.facts), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = {
            key: values.encode_errors(item) if key == "errors" else values.encode(item)
            for key, item in outcome_of(case.facts).items()
        }
    return codes_only(outcome) if "language" in case.facts else outcome


def outcome_of(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the resulting Python values, by their place in a recorded outcome."""
    operation = OPERATIONS[facts["op"]]
    subject, given = subject_of(facts), values.decode(facts["input"])
    try:
        return operation(subject, given, facts)
    except Exception as error:
        if isinstance(error, target.current.module("exceptions").ValidationError):
            return {"errors": error.detail}
        return raised(error, target.current.package)


def subject_of(facts: dict[str, Any]) -> Any:
    """Return the field or serializer class of a case, possibly built from the listed fields."""
    if "field" in facts:
        return support.evaluate(facts["field"])
    if "serializer" in facts:
        return support.evaluate(facts["serializer"])
    fields = {name: support.evaluate(text) for name, text in facts["fields"].items()}
    return type("AdHocSerializer", (support.namespace()["Serializer"],), fields)


def run_validation(field: Any, given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    return {"value": field.run_validation(given)}


def to_representation(field: Any, given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    return {"value": field.to_representation(given)}


def validate_serializer(subject: Any, given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    options = {key: facts[key] for key in ("partial", "many") if key in facts}
    if "instance" in facts:
        options["instance"] = values.decode(facts["instance"])
    serializer = subject(data=given, **options)
    if not serializer.is_valid():
        return {"valid": False, "errors": serializer.errors}
    outcome = {"valid": True, "validated_data": serializer.validated_data}
    if facts.get("save"):
        outcome |= {"saved": serializer.save(), "data": serializer.data}
    return outcome


def serialize(subject: Any, given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    options = {key: facts[key] for key in ("many",) if key in facts}
    return {"data": subject(given, **options).data}


def codes_only(outcome: Any) -> Any:
    """Return the outcome with error codes but without their (translated) messages."""
    if isinstance(outcome, dict):
        if set(outcome) == {"message", "code"}:
            return {"code": outcome["code"]}
        return {key: codes_only(item) for key, item in outcome.items()}
    return [codes_only(item) for item in outcome] if isinstance(outcome, list) else outcome


OPERATIONS = {
    "run_validation": run_validation,
    "to_representation": to_representation,
    "serializer": validate_serializer,
    "serialize": serialize,
}

SUITE = Suite("field_cases", load, expected, play, any_error)
