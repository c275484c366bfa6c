"""Forms change nothing unasked: present values stay, new objects get defaults."""

import re

import pytest
from contract_project.models import Badge, Snippet, Tag
from django.contrib.auth.models import User
from django.db import models

from lintel import generics, renderers, serializers
from lintel.renderers.forms.inputs import start_from_defaults
from lintel.test import APIRequestFactory

pytestmark = pytest.mark.django_db
factory = APIRequestFactory()


class Few(serializers.PrimaryKeyRelatedField):
    html_cutoff = 2


class SnippetSerializer(serializers.ModelSerializer):
    owner = serializers.PrimaryKeyRelatedField(
        queryset=User.objects.order_by("pk"), html_cutoff=2, html_cutoff_text="more than {count}"
    )
    tags = serializers.PrimaryKeyRelatedField(
        queryset=Tag.objects.order_by("pk"), many=True, html_cutoff=2
    )

    class Meta:
        model = Snippet
        fields = ["title", "code", "language", "owner", "tags"]


class BadgeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Badge
        fields = ["code", "zone", "active"]


class Detail(generics.RetrieveUpdateAPIView):
    queryset = Snippet.objects.all()
    serializer_class = SnippetSerializer
    renderer_classes = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]


class Badges(generics.ListCreateAPIView):
    queryset = Badge.objects.all()
    serializer_class = BadgeSerializer
    renderer_classes = [renderers.BrowsableAPIRenderer, renderers.JSONRenderer]


def chosen(html, name):
    select = re.search(rf'<select[^>]*name="{name}".*?</select>', html, re.DOTALL)[0]
    return re.findall(r'<option value="([^"]*)" selected[^>]*>([^<]*)', select)


@pytest.fixture
def last():
    users = [User.objects.create(username=f"user {number}") for number in range(5)]
    tags = [Tag.objects.create(name=f"tag {number}") for number in range(5)]
    snippet = Snippet.objects.create(code="x", owner=users[-1])
    snippet.tags.set(tags[1:4])
    return snippet


def test_a_select_that_lists_few_rows_keeps_the_present_one(last):
    html = renderers.HTMLFormRenderer().render(SnippetSerializer(last).data)
    assert chosen(html, "owner") == [(str(last.owner_id), "user 4")]
    assert [text for _key, text in chosen(html, "tags")] == [
        str(tag) for tag in last.tags.order_by("pk")
    ]
    # The line that says how many rows are listed is still the last one.
    options = re.search(r'<select[^>]*name="owner".*?</select>', html, re.DOTALL)[0]
    assert re.findall(r"<option[^>]*>([^<]*)", options)[-1] == "more than 2"


def test_a_search_box_begins_with_the_present_row(last):
    response = Detail.as_view()(factory.get("/"), pk=last.pk).render()
    box = re.search(r'<input name="owner"[^>]*>', response.content.decode())[0]
    assert f'value="{last.owner_id}"' in box
    assert 'data-text="user 4"' in box


def test_a_value_that_may_no_longer_be_chosen_is_kept_and_not_named(last):
    class Limited(SnippetSerializer):
        owner = serializers.PrimaryKeyRelatedField(queryset=User.objects.filter(username="user 0"))

    html = renderers.HTMLFormRenderer().render(Limited(last).data)
    assert chosen(html, "owner") == [(str(last.owner_id), str(last.owner_id))]


def test_a_choice_that_was_taken_from_the_list_is_kept():
    class Limited(serializers.Serializer):
        kind = serializers.ChoiceField(["new", "newer"])

    html = renderers.HTMLFormRenderer().render(Limited({"kind": "old"}).data)
    assert chosen(html, "kind") == [("old", "old")]


def test_a_form_for_a_new_object_starts_from_the_defaults_of_the_model():
    html = Badges.as_view()(factory.get("/")).render().content.decode()
    form = html.split("<form")[-2] + html.split("<form")[-1]
    assert re.search(r'name="zone"[^>]*value="north"|value="north"[^>]*name="zone"', form)
    assert re.search(r'name="active"[^>]*checked', form)
    assert "&quot;active&quot;: true" in html


def test_containers_start_empty_and_computed_defaults_are_left_to_the_project():
    class Store(models.Model):
        options = models.JSONField(default=dict)
        names = models.JSONField(default=list)
        number = models.IntegerField(default=lambda: 7)
        counted = models.IntegerField(db_default=3)

        class Meta:
            app_label = "forms_of_defaults"

    class StoreSerializer(serializers.ModelSerializer):
        declared = serializers.CharField(default="here", write_only=True)
        own = serializers.CharField(default="here", initial="there", write_only=True)
        called = serializers.CharField(default=lambda: "later", write_only=True)

        class Meta:
            model = Store
            fields = ["options", "names", "number", "counted", "declared", "own", "called"]

    serializer = StoreSerializer()
    start_from_defaults(serializer)
    assert serializer.data == {
        "options": {},
        "names": [],
        "number": None,
        "counted": 3,
        "declared": "here",
        "own": "there",
        "called": "",
    }
    # Other serializers of the class are what they were.
    assert StoreSerializer().data["options"] is None


def test_choices_with_a_blank_of_their_own_get_no_other(tmp_path):
    class Files(serializers.Serializer):
        file = serializers.FilePathField(path=tmp_path)
        kind = serializers.ChoiceField(choices=["a", "b"])

    html = renderers.HTMLFormRenderer().render(Files().data, None, {})
    assert chosen(html, "file") == [("", "---------")]
    assert chosen(html, "kind") == [("", "--------")]
