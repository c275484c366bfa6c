"""Public classes belong to their users: their private names are listed, and no others matter."""

from __future__ import annotations

import ast
import asyncio
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contract_project.models import Snippet, User
from django.test import override_settings
from django.urls import path

import lintel
from lintel import serializers, viewsets
from lintel.filters import OrderingFilter, SearchFilter
from lintel.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination
from lintel.permissions import DjangoModelPermissionsOrAnonReadOnly
from lintel.renderers import AdminRenderer, BrowsableAPIRenderer, JSONRenderer
from lintel.test import APIClient, AsyncAPIClient
from lintel.throttling import AnonRateThrottle

SOURCES = Path(lintel.__file__).parent
#: Packages whose classes projects do not derive from.
INTERNAL = {"cycle", "fast", "serving", "trust"}
#: What belongs to this package wherever it stands: a project does not take such a name by accident.
PREFIX = "_lintel_"

#: The private names that public classes carry. Those of the known API are read, overridden or
#: patched by packages; those with the prefix say why they cannot be anywhere else.
CARRIED: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "private_names.json").read_text()
)
PREFIXED: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "prefixed_names.json").read_text()
)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def trees() -> Iterator[tuple[str, ast.Module]]:
    for source in sorted(SOURCES.rglob("*.py")):
        place = source.relative_to(SOURCES)
        if place.parts[0] not in INTERNAL and "migrations" not in place.parts:
            yield ".".join(place.with_suffix("").parts), ast.parse(source.read_text())


def names_of(node: ast.ClassDef) -> set[str]:
    names = set()
    for inner in node.body:
        targets = getattr(inner, "targets", [getattr(inner, "target", None)])
        names.update(target.id for target in targets if isinstance(target, ast.Name))
        names.add(getattr(inner, "name", ""))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            owner = inner.value
            if isinstance(owner, ast.Name) and owner.id in ("self", "cls"):
                names.add(inner.attr)
    return {name for name in names if is_private(name)}


def public_classes() -> Iterator[tuple[str, set[str]]]:
    """The public classes with the private names that they carry."""
    for module, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield f"{module}.{node.name}", names_of(node)


def test_public_classes_carry_no_private_names_but_those_of_the_known_api() -> None:
    plain = {
        name: sorted(carried for carried in names if not carried.startswith(PREFIX))
        for name, names in public_classes()
    }
    carried = {name: names for name, names in plain.items() if names}
    assert carried == CARRIED["known"] | CARRIED["internal"]


def test_prefixed_names_of_public_classes_are_few_and_have_reasons() -> None:
    prefixed = {
        name: {carried for carried in names if carried.startswith(PREFIX)}
        for name, names in public_classes()
    }
    carried = {name: names for name, names in prefixed.items() if names}
    assert carried == {name: set(reasons) for name, reasons in PREFIXED.items()}
    assert all(reason for reasons in PREFIXED.values() for reason in reasons.values())


@functools.cache
def helper_names() -> list[str]:
    """Private names of functions, methods and classes, but those of the known API."""
    known = {name for names in CARRIED["known"].values() for name in names}
    defined = {
        node.name
        for _module, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    return sorted(
        name for name in defined - known if is_private(name) and not name.startswith(PREFIX)
    )


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("A name of the project was taken for one of the package.")


def crowded(*bases: Any, **attributes: Any) -> Any:
    """A subclass that has a method of its own under each helper's name."""
    theirs = dict.fromkeys(helper_names(), refuse)
    return type(f"Crowded{bases[0].__name__}", bases, {**theirs, **attributes})


class Meta:
    model = Snippet
    fields = ("id", "title", "code", "owner")


OwnerField = crowded(serializers.PrimaryKeyRelatedField)
TitleField = crowded(serializers.CharField)
SnippetSerializer = crowded(
    serializers.ModelSerializer,
    Meta=Meta,
    title=TitleField(max_length=100),
    owner=OwnerField(queryset=User.objects.all()),
)


def viewset(base: Any, pagination: Any, *renderers: Any) -> Any:
    return crowded(
        base,
        queryset=Snippet.objects.order_by("id"),
        serializer_class=SnippetSerializer,
        pagination_class=crowded(pagination, page_size=2, ordering="id", default_limit=2),
        filter_backends=[crowded(SearchFilter), crowded(OrderingFilter)],
        search_fields=["title"],
        renderer_classes=[crowded(each) for each in renderers],
        permission_classes=[crowded(DjangoModelPermissionsOrAnonReadOnly)],
        throttle_classes=[crowded(AnonRateThrottle, rate="1000/s")],
    )


LISTED = {"get": "list", "post": "create"}
SINGLE = {"get": "retrieve", "put": "update", "patch": "partial_update", "delete": "destroy"}


def routes(prefix: str, view: Any) -> list[Any]:
    return [
        path(f"{prefix}/", view.as_view(LISTED)),
        path(f"{prefix}/<int:pk>/", view.as_view(SINGLE)),
    ]


urlpatterns = [
    *routes("pages", viewset(viewsets.ModelViewSet, PageNumberPagination, JSONRenderer)),
    *routes("offsets", viewset(viewsets.ModelViewSet, LimitOffsetPagination, JSONRenderer)),
    *routes("cursors", viewset(viewsets.ModelViewSet, CursorPagination, JSONRenderer)),
    *routes("async", viewset(viewsets.AsyncModelViewSet, CursorPagination, JSONRenderer)),
    *routes("html", viewset(viewsets.ModelViewSet, PageNumberPagination, BrowsableAPIRenderer)),
    *routes("admin", viewset(viewsets.ModelViewSet, PageNumberPagination, AdminRenderer)),
]

KINDS = ("pages", "offsets", "cursors", "async", "html", "admin")


@pytest.fixture
def owner(db: None) -> User:
    owner = User.objects.create_superuser("crowd", "crowd@example.com", "secret")
    for number in range(3):
        Snippet.objects.create(title=f"title {number}", code="pass", owner=owner)
    return owner


def new(by: User, **changes: Any) -> dict[str, Any]:
    return {"title": "new", "code": "print()", "owner": by.pk, **changes}


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_a_project_may_use_every_helper_name_for_itself(kind: str, owner: User) -> None:
    client = APIClient()
    client.force_authenticate(owner)
    first = Snippet.objects.order_by("id").first()
    assert first is not None
    single = f"/{kind}/{first.pk}/"

    answers = [
        client.get(f"/{kind}/", {"search": "title", "ordering": "-id"}),
        client.options(f"/{kind}/"),
        client.post(f"/{kind}/", new(owner), format="json"),
        client.get(single),
        client.put(single, new(owner), format="json"),
        client.patch(single, {"title": "changed"}, format="json"),
        client.post(f"/{kind}/", new(owner, owner=0), format="json"),
        client.delete(single),
    ]

    deleted = {"html": 200, "admin": 303}.get(kind, 204)
    wanted = [200, 200, 201, 200, 200, 200, 400, deleted]
    assert [answer.status_code for answer in answers] == wanted


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.django_db(transaction=True)
def test_the_names_are_free_on_the_event_loop_too() -> None:
    owner = User.objects.create_superuser("crowd", "crowd@example.com", "secret")

    async def statuses() -> list[int]:
        client = AsyncAPIClient()
        client.force_authenticate(owner)
        made = await client.post("/async/", new(owner), format="json")
        single = f"/async/{made.json()['id']}/"
        answers = [
            made,
            await client.get("/async/", {"search": "new"}),
            await client.get(single),
            await client.put(single, new(owner), format="json"),
            await client.patch(single, {"title": "changed"}, format="json"),
            await client.delete(single),
        ]
        return [answer.status_code for answer in answers]

    assert asyncio.run(statuses()) == [201, 200, 200, 200, 200, 204]
