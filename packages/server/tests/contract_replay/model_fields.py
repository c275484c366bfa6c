"""Model field cases: the serializer fields that a model serializer builds."""

import warnings
from pathlib import Path
from typing import Any

from django.db import models

from contract_replay import isolation, made_models, support, target, values
from contract_replay.cases import NOT_BUILT, Case, Suite, any_error, raised, read

Facts = dict[str, Any]
FLAGS = ("required", "read_only", "write_only", "allow_null")
NOT_OUTCOME = {"id", "model_field", "models", "base", "meta", "declared"}


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "model_fields.json")
    return [
        *(Case(each["id"], "model-field", each) for each in recorded["field_cases"]),
        *(Case(each["id"], "model-serializer", each) for each in recorded["serializer_cases"]),
        Case("model-field-mapping", "model-classes", recorded["serializer_field_mapping"]),
        Case("model-relation-classes", "model-classes", recorded["relation_classes"]),
    ]


def expected(case: Case) -> Any:
    if case.group == "model-classes":
        return case.facts
    outcome = {key: item for key, item in case.facts.items() if key not in NOT_OUTCOME}
    return values.plain(outcome)


def play(case: Case) -> Any:
    """What the package builds for the model of a case."""
    if case.group == "model-classes":
        return PLAYERS[case.id]()
    with isolation.fresh({}), warnings.catch_warnings(), made_models.forgotten_afterwards():
        warnings.simplefilter("ignore")
        try:
            model = MAKERS[case.group](case.facts)
        except NOT_BUILT:
            raise
        except Exception as error:
            return {"model_error": type(error).__name__, "note": str(error)}
        try:
            return DESCRIBERS[case.group](model, case.facts)
        except Exception as error:
            return raised(error, target.current.package)


# ---- one model field ----


def sample_with_field(facts: Facts) -> type[models.Model]:
    field = made_models.evaluate(facts["model_field"])
    return made_models.make("Sample", {"other": models.IntegerField(), "f": field})


def describe_sample_field(model: type[models.Model], facts: Facts) -> Facts:
    serializer = serializer_class("ModelSerializer", model, {"fields": ["f"]}, {})()
    shown = repr(serializer).split("    f = ", 1)[1]
    return {"repr": shown, **described(serializer.fields["f"])}


def described(field: Any) -> Facts:
    """Class, keyword arguments and flags of a serializer field."""
    out = {
        "class": type(field).__name__,
        "kwargs": {name: argument(value) for name, value in field._kwargs.items()},
        **{name: getattr(field, name) for name in FLAGS},
    }
    if "child_relation" in out["kwargs"]:
        del out["kwargs"]["child_relation"]
        out["child_relation"] = described(field.child_relation)
    return out


def argument(value: Any) -> Any:
    """Plain form of a keyword argument; of one that holds objects, its representation."""
    if isinstance(value, (models.QuerySet, models.Manager)):
        return represented(value)
    try:
        encoded = values.encode(value)
    except Exception:
        return represented(value)
    return represented(value) if "'$type': 'object'" in repr(encoded) else encoded


def represented(value: Any) -> Facts:
    show = target.current.module("utils.representation").smart_repr
    return {values.TAG: "repr", "value": show(value)}


# ---- whole serializers ----


def models_of_case(facts: Facts) -> type[models.Model]:
    recorded = facts["models"]
    if "@real" in recorded:
        return real_model(recorded["@real"])
    made: dict[str, type[models.Model]] = {}
    for name in sorted(recorded, key=lambda each: "@base" in recorded[each][1]):
        made[name] = model_of(name, *recorded[name], made)
    return made["Sample"]


def real_model(name: str) -> type[models.Model]:
    if name == "Token":
        return target.current.module("authtoken.models").Token
    return support.namespace()[name]


def model_of(
    name: str, fields: dict[str, str], options: dict[str, str], made: dict[str, type[models.Model]]
) -> type[models.Model]:
    members = {each: made_models.evaluate(text) for each, text in fields.items()}
    base = made.get(options.get("@base", ""), models.Model)
    if "@property" in options:
        members[options["@property"]] = property(lambda self: 1)
    if "@method" in options:
        members[options["@method"]] = lambda self: 1
    meta = {
        each: made_models.evaluate(text)
        for each, text in options.items()
        if not each.startswith("@")
    }
    return made_models.make(name, members, meta, base)


def describe_serializer(model: type[models.Model], facts: Facts) -> Facts:
    if "condition" in str(facts["models"]):
        made_models.create_table(model)
    meta = {name: support.evaluate(text) for name, text in facts["meta"].items()}
    declared = {name: support.evaluate(text) for name, text in facts["declared"].items()}
    serializer = serializer_class(facts["base"], model, meta, declared)()
    return {"repr": repr(serializer).splitlines()}


def serializer_class(
    base: str, model: type[models.Model], meta: dict[str, Any], declared: dict[str, Any]
) -> Any:
    options = type("Meta", (), {"model": model, **meta})
    parent = getattr(target.current.module("serializers"), base)
    members = {"__module__": "__main__", "Meta": options, **declared}
    return type("SampleSerializer", (parent,), members)


# ---- the tables of classes ----


def field_mapping() -> Facts:
    mapping = target.current.module("serializers").ModelSerializer.serializer_field_mapping
    return {kind.__name__: field.__name__ for kind, field in mapping.items()}


def relation_classes() -> Facts:
    serializer = target.current.module("serializers").ModelSerializer
    names = ("related_field", "related_to_field", "url_field", "choice_field")
    return {
        f"serializer_{name}": getattr(serializer, f"serializer_{name}").__name__ for name in names
    }


PLAYERS = {"model-field-mapping": field_mapping, "model-relation-classes": relation_classes}
MAKERS = {"model-field": sample_with_field, "model-serializer": models_of_case}
DESCRIBERS = {"model-field": describe_sample_field, "model-serializer": describe_serializer}

SUITE = Suite("model_fields", load, expected, play, any_error)
