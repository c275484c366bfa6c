"""Lists and dictionaries in forms: the values sent back are those shown."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from contract_project.models import Tag as StoredTag
from django.http import QueryDict

from lintel import renderers, serializers

PACKS = ["rest_framework/horizontal", "rest_framework/vertical", "rest_framework/inline"]


class Tag(serializers.Serializer):
    word = serializers.CharField()
    secret = serializers.ChoiceField(["a"], write_only=True, required=False)


class Line(serializers.Serializer):
    amount = serializers.IntegerField()
    is_gift = serializers.BooleanField(required=False)
    notes = serializers.ListField(child=serializers.CharField(), required=False)
    tags = Tag(many=True, required=False)


class Order(serializers.Serializer):
    words = serializers.ListField(child=serializers.CharField())
    days = serializers.ListField(child=serializers.DateField(), required=False)
    rows = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    sizes = serializers.DictField(child=serializers.FloatField())
    lines = Line(many=True)


ORDER = {
    "words": ["a", "b <i>", "ü"],
    "days": ["2026-01-02"],
    "rows": [[1, 2], [3]],
    "sizes": {"width": 1.5, "height": 2.0},
    "lines": [
        {"amount": 1, "is_gift": True, "notes": ["x", "y"], "tags": [{"word": "w"}]},
        {"amount": 2, "is_gift": False, "notes": [], "tags": []},
    ],
}


class Inputs(HTMLParser):
    """What a browser would send: everything but what stands in templates."""

    def __init__(self, html):
        super().__init__()
        self.depth = 0
        self.sent = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.depth += tag == "template"
        is_off = "disabled" in found or (found.get("type") == "checkbox" and "checked" not in found)
        if tag == "input" and self.depth == 0 and "name" in found and not is_off:
            self.sent.append((found["name"], found.get("value", "")))

    def handle_endtag(self, tag):
        self.depth -= tag == "template"


def rendered(form, pack=PACKS[0]):
    return renderers.HTMLFormRenderer().render(form.data, None, {"style": {"template_pack": pack}})


def sent_by(html):
    query = QueryDict(mutable=True)
    for name, value in Inputs(html).sent:
        query.appendlist(name, value)
    return query


@pytest.mark.parametrize("pack", PACKS)
def test_a_form_sends_what_it_shows(pack):
    sent = sent_by(rendered(Order(ORDER), pack))
    form = Order(data=sent)
    assert form.is_valid(), form.errors
    assert Order(form.validated_data).data == ORDER


def test_an_empty_list_is_sent_as_such():
    empty = {"words": [], "days": [], "rows": [], "sizes": {}, "lines": []}
    form = Order(data=sent_by(rendered(Order(empty))))
    assert form.is_valid(), form.errors
    assert form.validated_data == empty


def test_a_refused_form_comes_back_as_it_was_sent():
    first = sent_by(rendered(Order(ORDER)))
    first["lines[0]amount"] = "many"
    form = Order(data=first)
    assert not form.is_valid()
    html = rendered(form)
    assert sent_by(html) == first
    assert html.count("<div>A valid integer is required.</div>") == 1
    invalid = re.findall(r'name="([^"]*)"[^>]*aria-invalid="true"', html)
    assert invalid == ["lines[0]amount"]


def test_items_are_named_for_people_and_programs():
    html = rendered(Order(ORDER))
    ids = re.findall(r' id="([^"]*)"', re.sub(r"<template>.*?</template>", "", html, flags=re.S))
    assert len(ids) == len(set(ids))
    assert '<span class="visually-hidden">Words 2</span>' in html
    assert '<legend class="visually-hidden">Lines 1</legend>' in html
    assert "__0__" in html
    assert "__1__" in html


def test_a_list_that_the_form_does_not_know_stays_as_it_is():
    class Hidden(serializers.Serializer):
        words = serializers.ListField(child=serializers.CharField(), write_only=True)

    assert "words[]" not in sent_by(rendered(Hidden({"words": ["a"]})))
    form = Order(ORDER)
    form._data = {name: value for name, value in form.data.items() if name == "rows"}
    assert {name for name in sent_by(rendered(form)) if name.endswith("[]")} == {
        *("rows[]", "rows[0][]", "rows[1][]"),
    }


class Many(serializers.Serializer):
    several = serializers.MultipleChoiceField(choices=["a", "b"])


class Flags(serializers.Serializer):
    flag = serializers.BooleanField()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (serializers.ListField(), [1]),
        (serializers.ListField(child=serializers.BooleanField()), [True]),
        (serializers.ListField(child=serializers.JSONField()), [{}]),
        (serializers.ListField(child=serializers.FileField()), []),
        (serializers.ListField(child=serializers.DictField()), [{}]),
        (serializers.ListField(child=serializers.CharField(allow_null=True)), ["a", None]),
        (serializers.ListField(child=serializers.IntegerField()), list(range(51))),
        (serializers.DictField(), {"a": [1]}),
        (serializers.DictField(child=Tag()), {"a": {"word": "b"}}),
        (Many(many=True), [{"several": ["a", "b"]}]),
        (Flags(many=True), [{"flag": False}]),
    ],
)
def test_what_a_form_cannot_say_is_left_to_raw_data(field, value):
    form = type("Form", (serializers.Serializer,), {"found": field})({"found": value})
    html = rendered(form)
    assert not sent_by(html)
    assert "Use the raw data instead." in html


def test_a_serializer_that_nests_itself_ends():
    class Node(serializers.Serializer):
        name = serializers.CharField()

        def get_fields(self):
            return {**super().get_fields(), "children": Node(many=True, required=False)}

    html = rendered(Node({"name": "a", "children": [{"name": "b", "children": []}]}))
    assert dict(Inputs(html).sent) == {"name": "a"}


@pytest.mark.django_db
def test_options_of_rows_are_looked_up_once_for_a_list(django_assert_num_queries):
    class Item(serializers.Serializer):
        tag = serializers.PrimaryKeyRelatedField(queryset=StoredTag.objects.all())

    class Form(serializers.Serializer):
        items = Item(many=True)

    tags = [StoredTag.objects.create(name=str(number)) for number in range(3)]
    form = Form({"items": [{"tag": tag} for tag in tags]})
    with django_assert_num_queries(1):
        html = rendered(form)
    assert html.count("<select") == 4


def test_secrets_in_items_do_not_come_back():
    sent = sent_by(rendered(Order(ORDER)))
    sent["lines[0]tags[0]secret"] = "hunter2"
    form = Order(data=sent)
    assert not form.is_valid()
    assert "hunter2" not in unescape(rendered(form))


def test_a_marker_alone_is_an_empty_list_and_nothing_is_none():
    class Form(serializers.Serializer):
        words = serializers.ListField(child=serializers.CharField(), required=False)
        tags = Tag(many=True, required=False)

    for text, values in (("words[]=&tags[]=", {"words": [], "tags": []}), ("", {})):
        form = Form(data=QueryDict(text))
        assert form.is_valid()
        assert form.validated_data == values
