"""Names and private attributes that third-party packages rely on."""

from pathlib import Path
from typing import Any

from contract_replay import isolation, support, target
from contract_replay.cases import Case, Suite, read
from contract_replay.names import MISSING, resolve_or_none

NOT_OURS = ("_get_fields", "_prefetched_objects_cache")
"""Private attributes of Django that the same packages use."""


def load(facts: Path) -> list[Case]:
    """Names that 3.18 still has, and the private attributes of the package's own objects."""
    recorded = read(facts / "ecosystem_names.json")
    names = [(name, each) for name, each in recorded["names"].items() if "gone_in_3_18" not in each]
    private = [name for name in recorded["private_attributes"] if name not in NOT_OURS]
    return [
        *(Case(name, "ecosystem-names", each) for name, each in names),
        *(Case(name, "ecosystem-private", {}) for name in private),
    ]


def expected(case: Case) -> Any:
    return "there"


def play(case: Case) -> Any:
    if case.group == "ecosystem-private":
        with isolation.fresh({}):
            owner = OWNERS[case.id]()
        return "there" if hasattr(owner, case.id) else f"not on {type(owner).__name__}"
    found = resolve_or_none(case.id.removesuffix(".*"))
    return "there" if found not in (None, MISSING) else "missing"


# ---- the objects that carry the private attributes ----


def serializer() -> Any:
    """A serializer that has validated its input and shown its data."""
    made = support.namespace()["PointSerializer"](data={"x": 1})
    made.is_valid()
    _ = made.data, made.errors
    return made


def request() -> Any:
    """A request of the package, after authentication."""
    from django.test import RequestFactory

    made = target.current.module("request").Request(RequestFactory().get("/"))
    _ = made.user, made.auth, made.successful_authenticator
    return made


def own_settings() -> Any:
    settings = target.current.module("settings")
    made = settings.APISettings({"PAGE_SIZE": 3}, settings.DEFAULTS, settings.IMPORT_STRINGS)
    _ = made.PAGE_SIZE
    return made


def generator() -> Any:
    return target.current.module("schemas.openapi").SchemaGenerator(patterns=[])


def client() -> Any:
    return target.current.module("test").APIClient()


def handler() -> Any:
    return client().handler


def factory() -> Any:
    return target.current.module("test").APIRequestFactory()


def made_request() -> Any:
    return factory().get("/")


def browsable() -> Any:
    return target.current.module("renderers").BrowsableAPIRenderer()


def root_view() -> Any:
    return target.current.module("routers").APIRootView()


def field() -> Any:
    return support.evaluate("CharField(max_length=3)")


OWNERS = {
    **dict.fromkeys(("_errors", "_data", "_validated_data", "_readable_fields"), serializer),
    **dict.fromkeys(("_request", "_auth", "_user", "_authenticator"), request),
    **dict.fromkeys(("_authenticate", "_not_authenticated"), request),
    **dict.fromkeys(("_user_settings", "_cached_attrs"), own_settings),
    **dict.fromkeys(("_get_paths_and_endpoints", "_initialise_endpoints"), generator),
    **dict.fromkeys(("_force_user", "_force_token"), handler),
    "_credentials": client,
    "_encode_data": factory,
    "_dont_enforce_csrf_checks": made_request,
    "_get_serializer": browsable,
    "_ignore_model_permissions": root_view,
    "_kwargs": field,
}

SUITE = Suite("ecosystem", load, expected, play)
