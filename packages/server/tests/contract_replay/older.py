"""What earlier versions of the interface answer, where the newest answers something else.

`contract/older_versions.json` holds cases of its own (`cases`) and names of recorded cases of the
other files (`shared`), each with the answers of the versions. An answer holds for its version and
for the older ones, down to the next that has another. `ours` are answers of ours that deliberately
stay those of the newest.

``python -m contract_replay.older 3.17 --package rest_framework --project FOLDER`` records the
answers of an installed version, where FOLDER holds `contract_project` with the package's name. The
newest version has to be recorded first. All run on one version of Django, so that its own changes
are not taken for theirs.
"""

import argparse
import datetime
import json
import warnings
from pathlib import Path
from typing import Any

import django
from django.utils import timezone

from contract_replay import isolation, made_models, runner, support, target, values
from contract_replay.cases import Case, any_error, raised, read

Facts = dict[str, Any]
FACTS = target.TESTS / "contract" / "older_versions.json"
VERSIONS = ("3.14", "3.15", "3.16", "3.17", "3.18")
NEWEST = VERSIONS[-1]


def cases() -> list[Case]:
    """Return the cases of our own; the group is the name of the change."""
    return [Case(each["id"], each["change"], each) for each in read(FACTS)["cases"]]


def shared_cases() -> list[tuple[str, Case, Facts]]:
    """Return cases of the other files, with the name of the file and their answers."""
    answers = read(FACTS)["shared"]
    files = sorted({name.partition(":")[0] for name in answers})
    pairs = [(file, case) for file in files for case in runner.cases(file)]
    named = [(file, case, f"{file}:{case.id}") for file, case in pairs]
    return [(file, case, answers[name]) for file, case, name in named if name in answers]


def answer(answers: Facts, version: str) -> Any:
    """Return the answer of a version: its own, or that of the next newer version with one."""
    newer = VERSIONS[VERSIONS.index(version) :]
    return next(answers[each] for each in newer if each in answers)


# ---- playing ----


def play(case: Case) -> Any:
    facts = case.facts
    with isolation.fresh(facts), warnings.catch_warnings(), made_models.forgotten_afterwards():
        warnings.simplefilter("ignore")
        try:
            outcome = OPERATIONS[facts["op"]](facts, names_of(facts))
            return values.plain(values.encode(outcome))
        except Exception as error:
            if hasattr(error, "detail"):
                return {"detail": values.encode_errors(error.detail)}
            return any_error(raised(error, target.current.package))


def play_shared(file: str, case: Case) -> Any:
    kind = runner.suite(file)
    return kind.relax(kind.play(case))


def names_of(facts: Facts) -> Facts:
    """Return the names for expressions; create the model of the case and its rows."""
    scope = {**made_models.names(), **HELPERS, "module": target.current.module}
    if "model" in facts:
        members = {name: made_models.evaluate(text) for name, text in facts["model"].items()}
        meta = {name: made_models.evaluate(text) for name, text in facts.get("options", {}).items()}
        scope["Sample"] = made_models.make("Sample", members, meta)
        made_models.create_table(scope["Sample"])
        for row in facts.get("rows", ()):
            scope["Sample"].objects.create(**row)
    return scope


def evaluate(facts: Facts, scope: Facts) -> Any:
    return eval(support.compiled(facts["expression"]), scope)


def validate(facts: Facts, scope: Facts) -> Any:
    """Validate input with a model serializer of the case's model."""
    meta = {name: support.evaluate(text) for name, text in facts.get("meta", {}).items()}
    declared = {name: support.evaluate(text) for name, text in facts.get("declared", {}).items()}
    options = {key: facts[key] for key in ("partial", "many") if key in facts}
    if "instance" in facts:
        options["instance"] = scope["Sample"].objects.get(pk=facts["instance"])
    cls = of_model(scope["Sample"], declared, **meta)
    return checked(cls(data=facts["input"], **options))


OPERATIONS = {"expression": evaluate, "validate": validate}


def checked(serializer: Any) -> Facts:
    if serializer.is_valid():
        return {"valid": True, "validated_data": serializer.validated_data}
    return {"valid": False, "errors": values.encode_errors(serializer.errors)}


def of_fields(**fields: Any) -> Any:
    return type("S", (support.namespace()["Serializer"],), fields)


def of_model(model: Any, declared: Facts | None = None, **meta: Any) -> Any:
    options = type("Meta", (), {"model": model, "fields": "__all__", **meta})
    members = {"Meta": options, **(declared or {})}
    return type("S", (support.namespace()["ModelSerializer"],), members)


HELPERS = {
    "django": django,
    "make": made_models.make,
    "form": lambda text: django.http.QueryDict(text),
    "checked": checked,
    "of_fields": of_fields,
    "of_model": of_model,
}


# ---- recording ----


def main() -> None:
    command = argparse.ArgumentParser(prog="python -m contract_replay.older", description=__doc__)
    command.add_argument("version", choices=VERSIONS)
    command.add_argument("--package", default="rest_framework")
    command.add_argument("--project", type=Path, required=True)
    chosen = command.parse_args()
    project = chosen.project.resolve()
    target.use(target.Target(chosen.package, project=project))
    add_names_of_django()
    target.configure({})
    django.setup()
    add_names()
    target.create_rows()
    record(chosen.version)


def add_names_of_django() -> None:
    """Add what 3.14 needs of older versions of Django."""
    if not hasattr(timezone, "utc"):
        timezone.utc = datetime.UTC


def add_names() -> None:
    """Add names that the sample project uses, and older versions of the package lack."""
    fields = target.current.module("fields")
    serializers = target.current.module("serializers")
    decorators = target.current.module("decorators")
    for name in (
        "versioning_class",
        "content_negotiation_class",
        "metadata_class",
        "throttle_scope",
    ):
        if not hasattr(decorators, name):
            setattr(decorators, name, lambda value, name=name: lambda view: view)
    own_version = target.current.module("(package)").VERSION
    if not hasattr(fields, "BigIntegerField"):
        fields.BigIntegerField = serializers.BigIntegerField = fields.IntegerField
    if own_version.startswith("3.14.") and django.VERSION >= (5,):
        # It expects the pair that Django returned before 5.0.
        validators = fields.ip_address_validators
        fields.ip_address_validators = lambda *arguments: (
            validators(*arguments),
            fields.IPAddressField.default_error_messages["invalid"],
        )


def record(version: str) -> None:
    found = json.loads(FACTS.read_text())
    for each in found["cases"]:
        add(each["answers"], version, play(Case(each["id"], each["change"], each)))
    for file, case, _answers in shared_cases():
        add(found["shared"][f"{file}:{case.id}"], version, play_shared(file, case))
    FACTS.write_text(json.dumps(found, indent=1) + "\n")


def add(answers: Facts, version: str, got: Any) -> None:
    """Keep the answer of a version, unless it is that of the next newer one."""
    answers.pop(version, None)
    newer = VERSIONS[VERSIONS.index(version) + 1 :]
    if version == NEWEST or answer(answers, newer[0]) != json.loads(json.dumps(got)):
        answers[version] = got


if __name__ == "__main__":
    main()
