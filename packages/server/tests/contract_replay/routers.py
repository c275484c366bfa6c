"""Router cases: the URL patterns that registrations give, and the marks of extra actions."""

import functools
from pathlib import Path
from typing import Any

from contract_replay import support, target
from contract_replay.cases import Case, Suite, any_error, raised, read

Facts = dict[str, Any]


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "http_cases.json")
    actions = recorded["extra_actions"]
    return [
        *(Case(each["id"], "router", each) for each in recorded["router_cases"]),
        *(Case(f"extra-action-{each['name']}", "extra-action", each) for each in actions),
    ]


def expected(case: Case) -> Any:
    if case.group == "extra-action":
        return case.facts
    return {key: case.facts[key] for key in ("patterns", "raises") if key in case.facts}


def play(case: Case) -> Any:
    return described_action(case.facts["name"]) if case.group == "extra-action" else routed(case)


def routed(case: Case) -> Facts:
    """Patterns of a router after the registrations of a case."""
    try:
        router = eval(case.facts["router"], dict(names()))
        for prefix, viewset, options in case.facts["register"]:
            router.register(prefix, names()[viewset], **options)
        return {"patterns": [described(each) for each in router.urls]}
    except Exception as error:
        return raised(error, target.current.package)


def described(pattern: Any) -> Facts:
    view = pattern.callback
    actions = getattr(view, "actions", None)
    return {
        "pattern": str(pattern.pattern),
        "name": pattern.name,
        "actions": actions,
        "initkwargs": {} if actions is None else view.initkwargs,
    }


def described_action(name: str) -> Facts:
    """Attributes of a method that is marked as an extra action."""
    action = next(each for each in names()["Extra"].get_extra_actions() if each.__name__ == name)
    keys = ("url_path", "url_name", "detail", "mapping", "kwargs")
    return {"name": name, **{key: getattr(action, key) for key in keys}}


# ---- the classes that the facts name ----


@functools.cache
def names() -> dict[str, Any]:
    """Routers and viewsets by the names that the facts use."""
    routers, viewsets = target.current.module("routers"), target.current.module("viewsets")
    things = type("Things", (viewsets.ModelViewSet,), tag_attributes())
    return {
        **vars(routers),
        "Things": things,
        "ReadOnly": type("ReadOnly", (viewsets.ReadOnlyModelViewSet,), tag_attributes()),
        "ByKwarg": type("ByKwarg", (things,), {"lookup_url_kwarg": "label"}),
        "ByRegex": type("ByRegex", (things,), {"lookup_value_regex": "[0-9a-f]{4}"}),
        "Plain": type("Plain", (viewsets.ViewSet,), {"list": answer, "destroy": answer}),
        "Extra": type("Extra", (things,), extra_actions()),
        "NoSuffix": type("NoSuffix", (routers.DefaultRouter,), {"include_format_suffixes": False}),
        "OwnRoutes": type("OwnRoutes", (routers.SimpleRouter,), {"routes": own_routes(routers)}),
    }


def tag_attributes() -> dict[str, Any]:
    scope = support.namespace()
    return {"queryset": scope["Tag"].objects.all(), "serializer_class": scope["TagSerializer"]}


def answer(self: Any, request: Any, **kwargs: Any) -> Any:
    return target.current.module("response").Response({})


def method(name: str) -> Any:
    """A handler of its own with the given name, without a docstring."""

    def handler(self: Any, request: Any, **kwargs: Any) -> Any:
        return answer(self, request, **kwargs)

    handler.__name__ = name
    return handler


def extra_actions() -> dict[str, Any]:
    action = target.current.module("decorators").action
    mapped = action(detail=True)(method("mapped"))
    return {
        "one": action(detail=True)(method("one")),
        "two": action(
            detail=True, methods=["post", "delete"], url_path="two-path", url_name="two-name"
        )(method("two")),
        "deep": action(detail=True, url_path=r"deep/(?P<number>\d+)", url_name="deep")(
            method("deep")
        ),
        "group_one": action(detail=False)(method("group_one")),
        "group_two": action(detail=False, methods=["post"], name="Nice name")(method("group_two")),
        "with_suffix": action(detail=False, suffix="Listing")(method("with_suffix")),
        "mapped": mapped,
        "mapped_post": mapped.mapping.post(method("mapped_post")),
        "mapped_delete": mapped.mapping.delete(method("mapped_delete")),
    }


def own_routes(routers: Any) -> list[Any]:
    return [
        routers.Route(
            url="^{prefix}$",
            mapping={"get": "list"},
            name="{basename}-list",
            detail=False,
            initkwargs={"suffix": "List"},
        ),
        routers.DynamicRoute(
            url="^{prefix}/{lookup}/{url_path}$",
            name="{basename}-{url_name}",
            detail=True,
            initkwargs={},
        ),
    ]


SUITE = Suite("router_cases", load, expected, play, any_error)
