"""A program of a project whose forms django-filter need not make, for ``test_dropin.py``."""

import itertools
import sys

from django import forms
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.validators import BaseValidator, MaxValueValidator
from django.http import QueryDict
from django_filters import filters as module
from django_filters import filterset as sets
from django_filters import rest_framework as filters
from django_filters.filters import CharFilter
from rest_framework import generics, renderers, serializers
from rest_framework.test import APIRequestFactory, force_authenticate

from lintel.scoping import RowScope
from lintel.trust.originals import is_known, off

COLORS = [("red", "Red"), ("blue", "Blue")]


class UserFilter(filters.FilterSet):
    email = filters.ChoiceFilter(choices=COLORS)
    named = filters.CharFilter(method="by_name")

    class Meta:
        model = User
        fields = {
            "username": ["exact", "icontains"],
            "id": ["exact", "gt"],
            "is_staff": ["exact"],
            "date_joined": ["gte"],
        }

    def by_name(self, queryset, name, value):
        assert self.form.cleaned_data[name] == value
        return queryset.filter(username=value)


class Strict(UserFilter):
    username = filters.CharFilter(max_length=2)
    is_superuser = filters.BooleanFilter(required=True)


class Numbered(UserFilter):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.filters["id"].field.min_value = 0
        self.filters["username"].field_class = forms.EmailField


class Limited(UserFilter):
    @classmethod
    def get_filters(cls):
        found = super().get_filters()
        found["id"].get_max_validator = lambda: MaxValueValidator(2)
        found["username"].filter = lambda rows, value: rows.filter(username=value or "bob")
        return found


class Refusing(UserFilter):
    def is_valid(self):
        return super().is_valid() and not self.form.cleaned_data["username"]


class Names(serializers.Serializer):
    username = serializers.CharField()


class Users(generics.ListAPIView):
    queryset = User.objects.order_by("pk")
    filter_backends = [filters.DjangoFilterBackend]
    filterset_class = UserFilter
    permission_classes = []
    authentication_classes = []
    serializer_class = Names
    renderer_classes = [renderers.JSONRenderer]


class Fields(Users):
    filterset_class = None
    filterset_fields = {"username": ["exact"], "groups": ["exact"], "id": ["in"]}


class Own(filters.DjangoFilterBackend):
    def get_filterset_kwargs(self, request, queryset, view):
        kwargs = super().get_filterset_kwargs(request, queryset, view)
        return {**kwargs, "queryset": kwargs["queryset"].exclude(username="bob")}


class Prefixed(filters.DjangoFilterBackend):
    def get_filterset_kwargs(self, request, queryset, view):
        return {**super().get_filterset_kwargs(request, queryset, view), "prefix": "of"}


call_command("migrate", verbosity=0)
for name in ["ann", "bob", "carl", " dora"]:
    User.objects.create_user(name, email="red", is_staff=name == "bob")

made = []
own_form = sets.BaseFilterSet.get_form_class


def get(view, query, **attributes):
    try:
        response = view.as_view(**attributes)(APIRequestFactory().get("/?" + query)).render()
    except OverflowError as error:  # of the database, for a number in a list
        return type(error), str(error)
    return response.status_code, response.content


def asked(view, query, **attributes):
    """What the view answers, the same as with the form."""
    for _ in range(2):
        found = get(view, query, **attributes)
        with off():
            assert found == get(view, query, **attributes), query
    return found


TEXTS = [
    "",
    "3",
    "ann",
    "%20ann%20",
    "a%00b",
    "1",
    "-1",
    "1.5",
    "1e3",
    "x",
    "%D9%A1",
    "NaN",
    "true",
]
TEXTS += ["True", "false", "1" * 40, "red", "Red", "null", "2026-01-01", "bob&username=ann", "+1+"]
NAMES = ["username", "username__icontains", "id", "id__gt", "is_staff", "date_joined__gte"]
NAMES += ["email", "named", "other", "is_superuser", "groups", "id__in", "of-username"]
backends = [[filters.DjangoFilterBackend], [Own], [Prefixed]]
for filterset in (UserFilter, Strict, Numbered, Limited, Refusing):
    for each, text in itertools.product(NAMES, TEXTS):
        asked(Users, f"{each}={text}", filterset_class=filterset)
for each, text in itertools.product(NAMES, TEXTS):
    asked(Fields, f"{each}={text}")
for some, text in itertools.product(backends, TEXTS):
    asked(Users, f"username={text}&id__gt=0", filter_backends=some)

# No form is made for values that are surely valid; others have one, as has whoever asks.


own = filters.FilterSet.form.fget
filters.FilterSet.form = property(lambda self: (made.append(1), own(self))[1])
assert get(Users, "username=ann")[0] == 200
assert made, "a function that was put in the place of another one is called"
filters.FilterSet.form = property(own)
assert UserFilter(QueryDict("username=ann"), User.objects.all()).form.is_valid()

seen = []


def watching(frame, event, argument):
    if event == "call" and frame.f_code is own_form.__code__:
        seen.append(frame)


sys.setprofile(watching)
assert b"ann" in get(Users, "username=ann&id__gt=0&is_staff=false&email=red")[1]
# Nothing is assumed about Django's functions in other versions, nor without the short cuts.
assert bool(seen) is not is_known()
assert get(Users, "is_staff=perhaps&id=x")[0] == 400
assert seen
seen.clear()
assert b"ann" in get(Users, "named=ann")[1]
assert seen, "the method of the project has asked for the form"
sys.setprofile(None)

# What a project puts in the place of a method takes part.

clean = forms.CharField.to_python
forms.CharField.to_python = lambda self, value: "bob" if value == "ann" else clean(self, value)
try:
    assert b"bob" in asked(Users, "username=ann")[1]
finally:
    forms.CharField.to_python = clean
assert b"ann" in asked(Users, "username=ann")[1]

# Classes of Django in the place of others, and validators, take part as well.


def refuse(self, value):
    raise forms.ValidationError("no")


places = [(BaseValidator, "__call__", refuse), (CharFilter, "field_class", forms.EmailField)]
places += [(module, "EMPTY_VALUES", ([], (), {}, None))]
for owner, name, new in places:
    old = getattr(owner, name)
    setattr(owner, name, new)
    try:
        asked(Users, "username=ann")
        asked(Users, "id__gt=1")
    finally:
        setattr(owner, name, old)

# One backend for all requests keeps nothing of one of them.


class Single(filters.DjangoFilterBackend):
    def __call__(self):
        return self


single = [Single()]
assert b"bob" in asked(Users, "username=bob&date_joined__gte=2020-01-01", filter_backends=single)[1]
assert b"bob" not in asked(Users, "username=ann", filter_backends=single)[1]
assert not vars(single[0])

# Filters by related rows offer, and take, those of the scope of the view.

ann, bob = User.objects.get(username="ann"), User.objects.get(username="bob")
for one in (ann, bob):
    one.groups.create(name=f"group of {one}")


class ByMember(RowScope):
    lookups = {User: None, Group: "user"}


class GroupFilter(filters.FilterSet):
    groups = filters.ModelChoiceFilter(queryset=Group.objects.all())

    class Meta:
        model = User
        fields = ["groups"]


class OwnBackend(filters.DjangoFilterBackend):
    def filter_queryset(self, request, queryset, view):
        return super().filter_queryset(request, queryset, view)


def as_ann(group, **attributes):
    view = type("Scoped", (Users,), {"scope_class": ByMember, "filterset_class": GroupFilter})
    request = APIRequestFactory().get("/", {"groups": group} if group else {})
    force_authenticate(request, ann)
    return view.as_view(**attributes)(request).render()


for backend in (filters.DjangoFilterBackend, OwnBackend):
    asking = {"filter_backends": [backend]}
    own, others = ann.groups.get(), bob.groups.get()
    assert b"ann" in as_ann(own.pk, **asking).content
    hidden, missing = as_ann(others.pk, **asking), as_ann(10**6, **asking)
    assert (hidden.status_code, hidden.data) == (400, missing.data), hidden.data
    page = as_ann(None, **asking, renderer_classes=[renderers.BrowsableAPIRenderer]).content
    assert b"group of ann" in page
    assert b"group of bob" not in page

# So do filters by the values of a column.


class OnlyMe(RowScope):
    lookups = {User: "pk"}


class NameFilter(filters.FilterSet):
    name = filters.AllValuesFilter(field_name="username")
    names = filters.AllValuesMultipleFilter(field_name="username")
    group = filters.AllValuesFilter(field_name="groups__name")


for backend in (filters.DjangoFilterBackend, OwnBackend):
    asking = {"scope_class": OnlyMe, "filterset_class": NameFilter, "filter_backends": [backend]}
    for name in ("name", "names"):
        view = type("Named", (Users,), asking).as_view()
        answers = []
        for value in ("ann", "bob", "eve"):
            request = APIRequestFactory().get("/", {name: value})
            force_authenticate(request, ann)
            answers.append(view(request).render())
        assert [each.status_code for each in answers] == [200, 400, 400], answers
        assert answers[1].content.replace(b"bob", b"eve") == answers[2].content
    pages = type(
        "Named", (Users,), {**asking, "renderer_classes": [renderers.BrowsableAPIRenderer]}
    )
    request = APIRequestFactory().get("/")
    force_authenticate(request, ann)
    page = pages.as_view()(request).render().content
    assert b">ann</option>" in page
    assert b">group of ann</option>" in page
    assert b"bob" not in page
