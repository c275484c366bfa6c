"""The system check for sources that lead nowhere."""

from typing import Any

import pytest
from contract_project.models import Snippet
from django.db.models import Count
from django.urls import path

from lintel import generics, serializers
from lintel.serializers.source_checks import sources_check


class Base(serializers.ModelSerializer):
    class Meta:
        model = Snippet
        fields = ["title"]


def found(settings: Any, view: Any = None, **fields: Any) -> list[str]:
    meta = type("Meta", (Base.Meta,), {"fields": ["title", *fields]})
    cls = type("Shown", (Base,), {**fields, "Meta": meta})
    attributes = {"queryset": Snippet.objects.all(), **(view or {}), "serializer_class": cls}
    view_class = type("View", (generics.ListAPIView,), attributes)
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": [path("a/", view_class.as_view())]})
    return [f"{each.msg} {each.hint}" for each in sources_check(None)]


def read(source: str, **options: Any) -> Any:
    return serializers.CharField(source=source, read_only=True, **options)


@pytest.mark.parametrize(
    ("source", "lost", "close"),
    [
        ("titel", "Snippet has no attribute 'titel'", "'title'"),
        ("owner.usrname", "User has no attribute 'usrname'", "'username'"),
        ("owner.profile.nothing", "Profile has no attribute 'nothing'", ""),
    ],
)
def test_a_name_that_nothing_has_is_reported(
    source: str, lost: str, close: str, settings: Any
) -> None:
    (message,) = found(settings, text=read(source))
    assert f"The source '{source}' of Shown.text leads nowhere: {lost}." in message
    assert close in message


@pytest.mark.parametrize(
    "source",
    ["owner.username", "owner_id", "owner.get_full_name", "pk", "tags.count", "created.year", "*"],
)
def test_names_that_objects_have_are_not(source: str, settings: Any) -> None:
    assert found(settings, text=read(source)) == []


def test_names_that_come_from_elsewhere_are_not(settings: Any) -> None:
    counted = Snippet.objects.annotate(number=Count("tags"))
    assert found(settings, {"queryset": counted}, number=read("tag_number")) == []
    own = {"get_queryset": lambda self: Snippet.objects.all()}
    assert found(settings, own, number=read("tag_number")) == []
    assert found(settings, number=read("tag_number", default="")) == []
    written = serializers.CharField(source="secret", write_only=True)
    assert found(settings, text=written) == []

    class Own(serializers.CharField):
        def get_attribute(self, instance: Any) -> Any:
            return "a"

    assert found(settings, text=Own(source="nothing", read_only=True)) == []


def test_a_serializer_that_needs_more_is_left_out(settings: Any) -> None:
    class Failing(Base):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            raise RuntimeError("a request is needed")

    view = type(
        "View",
        (generics.ListAPIView,),
        {"queryset": Snippet.objects.all(), "serializer_class": Failing},
    )
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": [path("a/", view.as_view())]})
    assert sources_check(None) == []
