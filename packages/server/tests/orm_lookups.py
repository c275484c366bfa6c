"""Look-ups that shortcuts answer, and the functions of Django that run for them without shortcuts.

Nothing here is named by hand: a profiler sees the functions, and the classes and modules that
hold them are found among all that are loaded.
"""

import base64
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from contract_project.models import Entry, Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.db.models import Avg, Count, F, Max, Min, Q, Sum
from django.db.models.query_utils import class_or_instance_method
from django.test import RequestFactory, override_settings
from django.utils.functional import cached_property, classproperty

from lintel import generics, serializers
from lintel.fast.prefetching import load
from lintel.fast.rows import row_of
from lintel.filters import FieldFilter, SearchFilter
from lintel.pagination import CursorPagination, PageNumberPagination
from lintel.pagination.counts import exact_count
from lintel.renderers import JSONRenderer

PLAIN = {"ORM_SHORTCUTS": False}
#: Where the functions are. Others concern the fields of serializers, requests and tests.
PARTS = ("django.db", "django.dispatch", "django.utils")


# Declared fields: those of model serializers are made by other functions of Django.


class OwnerSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    username = serializers.CharField()


class TagSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class FlatSerializer(serializers.Serializer):
    title = serializers.CharField()
    created = serializers.DateTimeField()
    rating = serializers.DecimalField(max_digits=4, decimal_places=1)
    linenos = serializers.BooleanField()


class NestedSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    owner = OwnerSerializer()
    tags = TagSerializer(many=True)


class MethodSerializer(serializers.Serializer):
    title = serializers.CharField()
    owner = serializers.SerializerMethodField()

    def get_owner(self, snippet: Snippet) -> int:
        return snippet.owner_id


class KeysSerializer(serializers.Serializer):
    owner = serializers.PrimaryKeyRelatedField(queryset=User.objects)
    tags = serializers.PrimaryKeyRelatedField(queryset=Tag.objects, many=True)


class EntrySerializer(serializers.Serializer):
    id = serializers.IntegerField()
    created = serializers.DateTimeField()
    score = serializers.IntegerField()


class ByCreation(CursorPagination):
    ordering = "created"
    page_size = 2


class Pages(PageNumberPagination):
    page_size = 2


def _page(
    queryset: Any, serializer: Any, style: Any = Pages, query: str = "", **members: Any
) -> Any:
    attributes = members | {
        "queryset": queryset,
        "serializer_class": serializer,
        "pagination_class": style,
        "renderer_classes": [JSONRenderer],
    }
    view = type("View", (generics.ListAPIView,), attributes).as_view()
    return view(RequestFactory().get(f"/{query}")).render().data


@functools.cache
def _cursor() -> str:
    """Return the query of the second page."""
    after = base64.b64encode(b"p=2024-03-02T00%3A00%3A00Z").decode()
    return f"?cursor={after}"


def _written(alias: str) -> Any:
    serializer = KeysSerializer(data={"owner": 1, "tags": [1, 2, 3]})
    serializer.fields["owner"].queryset = User.objects.using(alias)
    serializer.fields["tags"].child_relation.queryset = Tag.objects.using(alias)
    serializer.is_valid(raise_exception=True)
    return serializer.validated_data


_CONDITIONS = [
    Q(title__contains="t") | Q(title__icontains="T"),
    Q(title__startswith="t") | Q(title__istartswith="T") | Q(title__iexact="T1"),
    Q(title__endswith="1") | Q(title__iendswith="1") | Q(title__in=["t2", "t3"]),
    Q(rating__gt=1, rating__gte=1, rating__lt=2, rating__lte=2, linenos=False),
    Q(id__gt=0, id__gte=1, id__lt=9, id__lte=9, code__isnull=False) | Q(id=1),
    Q(owner=1) | Q(owner__in=[1, 2]),
]

#: Called with the alias of a database; each makes its querysets anew.
LookUp = Callable[[str], Any]

LOOK_UPS: dict[str, LookUp] = {
    "one row": lambda alias: row_of(Tag.objects.using(alias), "pk", 1),
    "one row of a manager": lambda alias: row_of(Tag.objects.db_manager(alias), "name", "tag 1"),
    "one row with a related one": lambda alias: row_of(
        Profile.objects.using(alias).select_related("user"), "pk", 1
    ),
    "one row with prefetched ones": lambda alias: row_of(
        Snippet.objects.using(alias).select_related("owner").prefetch_related("tags"), "pk", 1
    ),
    "one row with those that refer to it": lambda alias: row_of(
        User.objects.using(alias).prefetch_related("snippets"), "pk", 1
    ),
    "a list": lambda alias: (
        FlatSerializer(Snippet.objects.using(alias).order_by("-id"), many=True).data
    ),
    "a list with related rows": lambda alias: (
        NestedSerializer(Snippet.objects.using(alias).select_related("owner"), many=True).data
    ),
    "a count": lambda alias: exact_count(Snippet.objects.using(alias).filter(title="t1")),
    "a count of groups": lambda alias: exact_count(
        Tag.objects.using(alias).annotate(used=Count("snippets"))
    ),
    "a filtered page": lambda alias: _page(
        Snippet.objects.using(alias).filter(title__startswith="t", linenos=False).order_by("title"),
        FlatSerializer,
    ),
    "a page that a client filters": lambda alias: _page(
        Snippet.objects.using(alias).order_by("id"),
        FlatSerializer,
        query="?title__startswith=t&id__gte=1&rating__lt=9&search=t",
        filter_backends=[FieldFilter, SearchFilter],
        filter_fields=["title__startswith", "id__gte", "rating__lt"],
        search_fields=["title", "=code"],
    ),
    "a page by many lookups": lambda alias: _page(
        Snippet.objects.using(alias).filter(*_CONDITIONS).exclude(title="x").order_by("id"),
        FlatSerializer,
    ),
    "a page with annotations": lambda alias: _page(
        Tag.objects.using(alias).annotate(used=Count("snippets")).order_by("name"), TagSerializer
    ),
    "a page with joins": lambda alias: _page(
        Snippet.objects.using(alias).annotate(by=F("owner__username")), FlatSerializer
    ),
    "a nested page": lambda alias: _page(Snippet.objects.using(alias).all(), NestedSerializer),
    "a first page by cursor": lambda alias: _page(
        Entry.objects.using(alias).all(), EntrySerializer, ByCreation
    ),
    "a page by cursor": lambda alias: _page(
        Entry.objects.using(alias).all(), EntrySerializer, ByCreation, _cursor()
    ),
    "instances": lambda alias: (
        NestedSerializer(list(Snippet.objects.using(alias).all()), many=True).data
    ),
    "instances of a queryset": lambda alias: (
        MethodSerializer(Snippet.objects.using(alias).order_by("id"), many=True).data
    ),
    "instances with prefetched ones": lambda alias: (
        MethodSerializer(
            Snippet.objects.using(alias).order_by("id").prefetch_related("tags"), many=True
        ).data
    ),
    "instances with those that refer to them": lambda alias: [
        [snippet.title for snippet in user.snippets.all()]
        for user in load(User.objects.using(alias).order_by("id").prefetch_related("snippets"))
    ],
    "instances with joined rows and annotations": lambda alias: (
        MethodSerializer(
            Snippet.objects.using(alias).select_related("owner").annotate(used=Count("tags")),
            many=True,
        ).data
    ),
    "instances without a column": lambda alias: (
        MethodSerializer(Snippet.objects.using(alias).defer("code").order_by("id"), many=True).data
    ),
    "instances with some columns": lambda alias: (
        MethodSerializer(
            Snippet.objects.using(alias).only("title", "owner").order_by("id"), many=True
        ).data
    ),
    "instances with every annotation": lambda alias: load(
        Snippet.objects.using(alias)
        .annotate(Max("tags__id"), Min("created"), Sum("rating"), Avg("tags__id"), rows=Count("*"))
        .annotate(by=F("owner__username"), different=Count("tags__name", distinct=True))
        .order_by("by", "id")
    ),
    "related keys of input": lambda alias: _written(alias),
}


def add_rows(alias: str) -> None:
    """Add what the look-ups find."""
    users = [User(id=number, username=f"user {number}") for number in (1, 2)]
    User.objects.using(alias).bulk_create(users)
    tags = Tag.objects.using(alias).bulk_create(Tag(id=n, name=f"tag {n}") for n in (1, 2, 3))
    Profile.objects.using(alias).create(id=1, user=users[0], bio="x")
    for number in (1, 2, 3, 4):
        snippet = Snippet.objects.using(alias).create(
            id=number, title=f"t{number}", code="x", owner=users[number % 2], rating="1.5"
        )
        snippet.tags.set(tags[: number % 3])
        Entry.objects.using(alias).create(
            id=number, name="x", created=f"2024-03-0{number}T00:00:00Z", score=number
        )


# ---- what runs ----

#: Code and name: methods of managers share the code of the function that makes them.
Ran = tuple[CodeType, str]


def ran(look_up: LookUp, alias: str) -> set[Ran]:
    """Return the functions of Django that run for a look-up that was used before."""
    found: set[Ran] = set()

    def see(frame: Any, event: str, argument: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(PARTS):
            code = frame.f_code
            made = code.co_name == "manager_method"
            found.add((code, frame.f_locals["name"] if made else code.co_name))

    look_up(alias)
    before = sys.getprofile()
    sys.setprofile(see)
    try:
        look_up(alias)
    finally:
        sys.setprofile(before)
    return found


def without_shortcuts(look_up: LookUp, alias: str) -> set[Ran]:
    """Return those that run without shortcuts."""
    with override_settings(REST_FRAMEWORK=PLAIN):
        return ran(look_up, alias)


# ---- where it stands ----


@dataclass(frozen=True)
class Place:
    """A function of Django where it is looked up: an attribute of a class or of a module."""

    owner: Any
    name: str

    @property
    def held(self) -> Any:
        """Return the attribute itself, without running a descriptor."""
        return inspect.getattr_static(self.owner, self.name)

    @property
    def path(self) -> str:
        if isinstance(self.owner, ModuleType):
            return f"{self.owner.__name__}:{self.name}"
        return f"{self.owner.__module__}:{self.owner.__qualname__}.{self.name}"


_INSIDE = {
    MethodType: "__func__",
    classmethod: "__func__",
    staticmethod: "__func__",
    property: "fget",
    functools.cached_property: "func",
    cached_property: "func",
    classproperty: "fget",
    functools.partialmethod: "func",
}


def _functions(held: Any) -> Iterator[FunctionType]:
    """Yield the functions behind an attribute, also those inside decorators."""
    if type(held) is class_or_instance_method:
        yield from _functions(held.class_method)
        yield from _functions(held.instance_method)
        return
    held = getattr(held, _INSIDE[type(held)]) if type(held) in _INSIDE else held
    while held is not None:
        if type(held) is FunctionType:
            yield held
        held = vars(held).get("__wrapped__") if hasattr(held, "__dict__") else None


def _subclasses(cls: type) -> Iterator[type]:
    for found in type.__subclasses__(cls):
        yield found
        yield from _subclasses(found)


def _owners() -> Iterator[Any]:
    for found in set(_subclasses(object)):
        if str(found.__module__).startswith(PARTS):
            yield found
    for name, module in list(sys.modules.items()):
        if name.startswith(PARTS) and isinstance(module, ModuleType):
            yield module


def places(functions: set[Ran]) -> list[Place]:
    """Return where these functions are looked up, in a fixed order."""
    found: dict[str, Place] = {}
    for owner in _owners():
        for name, held in list(vars(owner).items()):
            # Modules are asked for anything by whoever looks through all of them.
            if isinstance(held, type) or name in ("__class__", "__getattr__"):
                continue
            if any((each.__code__, each.__name__) in functions for each in _functions(held)):
                place = Place(owner, name)
                found[place.path] = place
    return [found[path] for path in sorted(found)]


# ---- what a tool or a project puts in its place ----


def heard(held: Any, calls: list[str]) -> Any:
    """Return what stands for an attribute of a class or module, and notes each of its calls."""

    def listening(function: Any) -> Any:
        @functools.wraps(function)
        def listener(*args: Any, **kwargs: Any) -> Any:
            calls.append(function.__name__)
            return function(*args, **kwargs)

        return listener

    kind = type(held)
    if kind is class_or_instance_method:
        return kind(listening(held.class_method), listening(held.instance_method))
    if kind is cached_property:
        return cached_property(listening(held.func))
    if kind in _INSIDE:
        inner = listening(getattr(held, _INSIDE[kind]))
        return property(inner, held.fset, held.fdel) if kind is property else kind(inner)
    return listening(held)


def put(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Set an attribute of a class or module; return a function that puts the former one back."""
    is_inherited = name not in vars(owner)
    before = vars(owner).get(name)
    setattr(owner, name, value)
    if isinstance(value, cached_property):
        value.__set_name__(owner, name)

    def undo() -> None:
        if is_inherited:
            delattr(owner, name)
        else:
            setattr(owner, name, before)

    return undo
