"""Messages: texts and codes of fields, validators, exceptions, and a few observed answers."""

import json
from pathlib import Path
from typing import Any

from contract_replay import isolation, support, target, values
from contract_replay.cases import Case, Suite, read

Facts = dict[str, Any]

ARGUMENTS = {
    "RegexField": "regex='a'",
    "DecimalField": "max_digits=3, decimal_places=1",
    "ChoiceField": "choices=[]",
    "FilePathField": "path='/usr'",
    "HiddenField": "default=1",
    "ModelField": "model_field=models.IntegerField()",
    "RelatedField": "read_only=True",
    "PrimaryKeyRelatedField": "read_only=True",
    "HyperlinkedRelatedField": "view_name='x', read_only=True",
    "HyperlinkedIdentityField": "view_name='x'",
    "SlugRelatedField": "slug_field='x', read_only=True",
    "ManyRelatedField": "child_relation=StringRelatedField()",
    "ListSerializer": "child=PointSerializer()",
}
"""What a class needs to be instantiated, where that is anything."""

OBSERVED = {
    "UniqueValidator": ("TagSerializer", {"name": "red"}),
    "UniqueTogetherValidator": ("ReservationSerializer", {"room": "A", "slot": 1}),
    "UniqueTogetherValidator (missing)": ("ReservationSerializer", {"room": "A"}),
    "UniqueTogetherValidator (constraint with own message and code)": (
        "BadgeSerializer",
        {"code": "b1", "zone": "north", "active": True},
    ),
    "UniqueForDateValidator": (
        "ArticleSerializer",
        {"published": "2024-04-10", "slug": "one", "series": "new", "column": "new"},
    ),
    "UniqueForMonthValidator": (
        "ArticleSerializer",
        {"published": "2024-04-11", "slug": "new", "series": "s1", "column": "new"},
    ),
    "UniqueForYearValidator": (
        "ArticleSerializer",
        {"published": "2024-05-11", "slug": "new", "series": "new", "column": "c1"},
    ),
}
CREDENTIALS = {
    "empty": {},
    "wrong": {"username": "bob", "password": "wrong"},
    "inactive": {"username": "dave", "password": "dave-pw"},
}
GROUPS = (
    *("fields", "validators", "exceptions", "attributes"),
    *("validators_observed_codes", "authtoken_serializer", "generic_error_views"),
)


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "messages.json")
    return [
        Case(f"{group}.{name}", f"messages-{group}", {"name": name, "recorded": each})
        for group in GROUPS
        for name, each in recorded[group].items()
    ]


def expected(case: Case) -> Any:
    recorded = dict(case.facts["recorded"])
    recorded.pop("default_validators_error", None)  # the class could not be made without arguments
    return recorded


def play(case: Case) -> Any:
    with isolation.fresh({}):
        return PLAYERS[case.group.removeprefix("messages-")](case.facts["name"], expected(case))


def of_field(name: str, recorded: Facts) -> Facts:
    kind = getattr(target.current.module(recorded["module"]), name)
    messages: dict[str, str] = {}
    for parent in reversed(kind.__mro__):
        messages.update(getattr(parent, "default_error_messages", {}))
    out: Facts = {"module": recorded["module"], "messages": texts(messages)}
    if "default_validators" in recorded:
        field = support.evaluate(f"{name}({ARGUMENTS.get(name, '')})")
        out["default_validators"] = [described(each) for each in field.validators]
    return out


def texts(messages: dict[str, Any]) -> dict[str, str]:
    return {code: str(text) for code, text in messages.items()}


def described(validator: Any) -> Facts:
    """Class (or name), code and message of a validator."""
    name = getattr(validator, "__name__", type(validator).__name__)
    out = {"class": name}
    for key in ("code", "message"):
        if hasattr(validator, key):
            out[key] = None if getattr(validator, key) is None else str(getattr(validator, key))
    return out


def of_validator(name: str, recorded: Facts) -> Facts:
    kind = getattr(target.current.module("validators"), name)
    messages = {key: getattr(kind, key, None) for key in recorded["messages"]}
    shown = {key: None if text is None else str(text) for key, text in messages.items()}
    return {"messages": shown, "code": getattr(kind, "code", None)}


def of_exception(name: str, recorded: Facts) -> Facts:
    return attributes(getattr(target.current.module("exceptions"), name), recorded)


def of_attributes(name: str, recorded: Facts) -> Facts:
    module, _, kind = name.rpartition(".")
    return attributes(getattr(target.current.module(module), kind), recorded)


def attributes(kind: Any, recorded: Facts) -> Facts:
    """The recorded attributes of a class, texts no longer lazy."""
    shown = {key: getattr(kind, key, None) for key in recorded}
    return {key: value if isinstance(value, int) else str(value) for key, value in shown.items()}


def observed_errors(name: str, recorded: Facts) -> Facts:
    serializer, given = OBSERVED[name]
    return errors_of(support.evaluate(serializer), given)


def token_errors(name: str, recorded: Facts) -> Facts:
    serializer = target.current.module("authtoken.serializers").AuthTokenSerializer
    return errors_of(serializer, CREDENTIALS[name])


def errors_of(kind: Any, given: Facts) -> Facts:
    serializer = kind(data=given)
    return {} if serializer.is_valid() else values.encode_errors(serializer.errors)


def error_view(name: str, recorded: Facts) -> Facts:
    from django.test import RequestFactory

    view = getattr(target.current.module("exceptions"), name)
    request = RequestFactory().get("/")
    response = view(request, None) if name == "bad_request" else view(request)
    return {
        "status": response.status_code,
        "content_type": response.headers["Content-Type"],
        "json": json.loads(response.content),
    }


PLAYERS = {
    "fields": of_field,
    "validators": of_validator,
    "exceptions": of_exception,
    "attributes": of_attributes,
    "validators_observed_codes": observed_errors,
    "authtoken_serializer": token_errors,
    "generic_error_views": error_view,
}

SUITE = Suite("messages", load, expected, play)
