"""Forms show what is required and what is wrong, visually and to screen readers."""

import re
from html.parser import HTMLParser

import pytest

from lintel import renderers, serializers

PACKS = ["rest_framework/horizontal", "rest_framework/vertical", "rest_framework/inline"]


class Address(serializers.Serializer):
    city = serializers.CharField()
    street = serializers.CharField(required=False)


class Person(serializers.Serializer):
    name = serializers.CharField(help_text="As on the passport")
    nick = serializers.CharField(allow_blank=True)
    age = serializers.IntegerField()
    happy = serializers.BooleanField()
    motto = serializers.CharField(style={"base_template": "textarea.html"})
    side = serializers.ChoiceField(choices=["left", "right"])
    sides = serializers.MultipleChoiceField(choices=["left", "right"], allow_empty=False)
    radio = serializers.ChoiceField(choices=["a"], style={"base_template": "radio.html"})
    secret = serializers.ChoiceField(choices=["a"], write_only=True)
    address = Address()
    hidden = serializers.HiddenField(default=None)

    def validate(self, values):
        raise serializers.ValidationError("Not at all.")


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def elements(data=None, pack=PACKS[0], partial=False):
    form = Person(data=data, partial=partial) if data is not None else Person()
    if data is not None:
        form.is_valid()
    html = renderers.HTMLFormRenderer().render(form.data, None, {"style": {"template_pack": pack}})
    return html, Elements(html).found


BAD = {
    "age": "old",
    "side": "up",
    "radio": "z",
    "secret": "hunter2",
    "address": {"city": ""},
    "sides": [],
    "motto": "",
}


@pytest.mark.parametrize("pack", PACKS)
def test_each_input_has_an_id_of_its_own_and_is_described_by_its_errors(pack):
    _html, found = elements(BAD, pack)
    ids = [attrs["id"] for _tag, attrs in found if "id" in attrs]
    assert len(ids) == len(set(ids))
    described = [attrs["aria-describedby"] for _tag, attrs in found if "aria-describedby" in attrs]
    assert described
    assert all(target in ids for each in described for target in each.split())
    inputs = {attrs.get("name"): attrs for tag, attrs in found if tag in ("input", "select")}
    assert inputs["age"]["aria-invalid"] == "true"
    assert inputs["age"]["aria-describedby"] == "form-age-error"
    assert inputs["name"]["aria-describedby"] == "form-name-error form-name-help"
    assert inputs["address.city"]["id"] == "form-address-city"


def test_required_inputs_are_marked():
    _html, found = elements()
    required = {attrs["name"] for _tag, attrs in found if "aria-required" in attrs}
    assert required == {"name", "age", "motto", "side", "sides", "secret", "address.city"}
    assert sum(tag == "abbr" for tag, _attrs in found) == len(required) + len(["radio", "address"])
    assert not [attrs for _tag, attrs in elements({}, partial=True)[1] if "aria-required" in attrs]


@pytest.mark.parametrize("pack", PACKS)
def test_errors_are_summed_up_with_links_to_their_inputs(pack):
    html, found = elements(BAD, pack)
    summary = html[html.index('error-summary"') : html.index("</ul>")]
    targets = re.findall(r'href="#([\w-]+)"', summary)
    assert set(targets) >= {"form-age", "form-side", "form-radio", "form-address-city"}
    assert set(targets) <= {attrs["id"] for _tag, attrs in found if "id" in attrs}
    assert "hunter2" not in html


def test_errors_of_the_whole_form_stand_in_the_summary():
    good = {
        "name": "a",
        "nick": "",
        "age": "1",
        "motto": "m",
        "side": "left",
        "radio": "a",
        "sides": ["left"],
        "secret": "a",
        "address": {"city": "c"},
        "happy": "true",
    }
    html, _found = elements(good)
    assert "<li>Not at all.</li>" in html
    assert "error-summary" not in elements()[0]
