"""Views that only describe themselves change neither rows nor the language and the time zone."""

import json
import warnings

import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.test import override_settings
from django.urls import path
from django.utils import timezone, translation
from openapi_spec_validator import validate

from lintel import generics, permissions, serializers
from lintel.schemas import coreapi
from lintel.schemas.openapi import SchemaGenerator
from lintel.schemas.undisturbed import DescriptionWrites, undisturbed

VERSIONS = ["3.0.2", "3.0.3", "3.1.0", "3.2.0"]


class GroupSerializer(serializers.ModelSerializer):
    class Meta:
        model = Group
        fields = ["id", "name"]


class Logged(permissions.BasePermission):
    def has_permission(self, request, view):
        Group.objects.create(name=f"{request.method} {request.path}")
        return True


class Writing(generics.RetrieveUpdateAPIView):
    """Writes wherever it is asked."""

    permission_classes = [Logged]
    serializer_class = GroupSerializer

    def get_queryset(self):
        Group.objects.get_or_create(name="rows")
        return Group.objects.all()

    def get_serializer_context(self):
        Group.objects.update(name="context")
        return super().get_serializer_context()


class German(generics.RetrieveAPIView):
    """Speaks the language of its user."""

    serializer_class = GroupSerializer

    def get_queryset(self):
        translation.activate("de")
        timezone.activate("Asia/Tokyo")
        return Group.objects.all()


class Counting(generics.RetrieveAPIView):
    serializer_class = GroupSerializer

    def get_queryset(self):
        assert Group.objects.count() == 1
        return Group.objects.all()


PATTERNS = [
    path("a/<int:pk>/", Writing.as_view()),
    path("b/<int:pk>/", German.as_view()),
    path("c/<int:pk>/", Counting.as_view()),
]


def documented(version):
    generator = SchemaGenerator(title="T", version="1", patterns=PATTERNS)
    generator.openapi_version, generator.keeps_going = version, True
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        document = json.loads(json.dumps(generator.get_schema(public=True)))
    if version != "3.0.2":  # which has the known, repeated identifiers
        validate(document)
    return document, [str(each.message) for each in warned]


@pytest.mark.django_db
@pytest.mark.parametrize("version", VERSIONS)
def test_rows_are_read_and_not_written_also_inside_a_transaction(version):
    Group.objects.create(name="one")
    document, warned = documented(version)
    assert [each.name for each in Group.objects.all()] == ["one"]
    assert len(document["paths"]) == 3
    assert any("Writing: get_serializer() failed" in each for each in warned)
    assert not any("Counting: get_queryset()" in each for each in warned)


@pytest.mark.django_db
def test_a_permission_that_writes_is_taken_to_require_credentials():
    document, _ = documented("3.1.0")
    ways = {address: item["get"]["security"] for address, item in document["paths"].items()}
    assert {} not in ways["/a/{id}/"]
    assert {} in ways["/b/{id}/"]


@pytest.mark.django_db
def test_the_native_schema_writes_nothing_either():
    with pytest.warns(UserWarning, match="DescriptionWrites"):
        coreapi.SchemaGenerator(patterns=PATTERNS).get_schema(public=True)
    assert not Group.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("language", ["en", "fr", None])
def test_the_language_and_the_time_zone_stay_those_of_the_caller(version, language):
    zone = timezone.get_current_timezone()
    Group.objects.create(name="one")
    with translation.override(language):
        document, _ = documented(version)
        assert translation.get_language() == language
        again, _ = documented(version)
    assert timezone.get_current_timezone() is zone
    assert again == document


@pytest.mark.django_db
def test_a_transaction_that_has_failed_before_stays_so():
    with transaction.atomic():
        with undisturbed():
            transaction.set_rollback(True)
            with pytest.raises(DescriptionWrites):
                Group.objects.create(name="one")
        assert connection.needs_rollback


@pytest.mark.django_db
def test_writing_raises_until_the_description_has_ended():
    with undisturbed() as put_back:
        with pytest.raises(DescriptionWrites, match="INSERT INTO"):
            Group.objects.create(name="one")
        put_back()
        assert Group.objects.count() == 0
    assert Group.objects.create(name="one").pk


@pytest.mark.django_db
def test_a_thread_without_a_zone_of_its_own_has_none_afterwards():
    documented("3.1.1")
    with override_settings(TIME_ZONE="Asia/Kathmandu"):
        assert timezone.get_current_timezone_name() == "Asia/Kathmandu"
