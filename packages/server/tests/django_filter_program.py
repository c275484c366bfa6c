"""A program of a project that filters with django-filter, for ``test_dropin.py``."""

from django.contrib.auth.models import User
from django.core.management import call_command
from django_filters import rest_framework as filters
from rest_framework import generics, pagination, renderers, serializers
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.test import APIRequestFactory


class UserFilter(filters.FilterSet):
    joined = filters.IsoDateTimeFromToRangeFilter(field_name="date_joined")
    ids = filters.BaseInFilter(field_name="id")
    is_staff = filters.BooleanFilter()

    class Meta:
        model = User
        fields = {"id": ["exact", "gt"], "username": ["exact", "icontains"]}


class Pages(pagination.PageNumberPagination):
    page_size = 2


class Names(serializers.Serializer):
    username = serializers.CharField()


class Users(generics.ListAPIView):
    queryset = User.objects.order_by("pk")
    filter_backends = [filters.DjangoFilterBackend, SearchFilter, OrderingFilter]
    filterset_class = UserFilter
    search_fields = ["username"]
    ordering_fields = ["username"]
    permission_classes = []
    authentication_classes = []
    pagination_class = Pages
    serializer_class = Names
    renderer_classes = [renderers.JSONRenderer, renderers.BrowsableAPIRenderer]


call_command("migrate", verbosity=0)
for name in ["ann", "bob", "carl", "dora"]:
    User.objects.create_user(name, is_staff=name == "bob")


def get(query, **attributes):
    return Users.as_view(**attributes)(APIRequestFactory().get("/hello/?" + query))


def names(query):
    response = get(query)
    assert response.status_code == 200, response.data
    return [row["username"] for row in response.data["results"]]


assert names("username__icontains=A&ordering=-username") == ["dora", "carl"]
assert names("id__gt=1&search=r") == ["carl", "dora"]
assert names("is_staff=true") == ["bob"]
assert names("ids=1,4") == ["ann", "dora"]
assert names("joined_after=2100-01-01T00:00:00Z") == []
assert names("id=" + "9" * 30) == []
following = get("username__icontains=r").data["next"]
assert following is None
assert get("").data["next"].endswith("?page=2")

for query, field in [
    ("id=x", "id"),
    ("username=%00", "username"),
    ("id=1e400", "id"),
    ("joined_after=x", "joined"),
    ("id=" + "9" * 5000, "id"),
]:
    response = get(query)
    assert response.status_code == 400, (query, response.data)
    assert list(response.data) == [field], response.data

strict = {"strict_query_params": True}
assert get("username__icontains=a&joined_before=2000-01-01", **strict).status_code == 200
refused = get("user=a", **strict)
assert refused.status_code == 400
assert "'username'" in refused.data["user"][0]

html = get("format=api").render().content.decode()
assert 'name="username__icontains"' in html
assert 'name="search"' in html
