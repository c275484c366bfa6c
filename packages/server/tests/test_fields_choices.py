"""Choice fields: forms of choices, options for HTML, enumerations."""

import copy
import enum
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.db import models
from django.http import QueryDict

from lintel import fields, serializers
from lintel.exceptions import ValidationError
from lintel.fast.field_templates import clone
from lintel.fields import flatten_choices_dict, iter_options, to_choices_dict
from lintel.renderers import HTMLFormRenderer


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


class Size(models.IntegerChoices):
    SMALL = 1, "Small"


GROUPED = [("Warm", [("r", "Red"), ("y", "Yellow")]), ("b", "Blue")]


def test_choices_in_any_form() -> None:
    assert to_choices_dict(["a", ("b", "B"), ["G", (("c", "C"),)]]) == {
        "a": "a",
        "b": "B",
        "G": {"c": "C"},
    }
    assert flatten_choices_dict(to_choices_dict(GROUPED)) == {
        "r": "Red",
        "y": "Yellow",
        "b": "Blue",
    }


def test_choice_that_is_no_pair() -> None:
    with pytest.raises(ValueError, match="unpack"):
        fields.ChoiceField(choices=[("a", "b", "c")])


def test_assigned_choices_replace_everything() -> None:
    field = fields.ChoiceField(choices=["a"])
    field.choices = GROUPED
    assert field.run_validation("r") == "r"
    assert field.grouped_choices["Warm"] == {"r": "Red", "y": "Yellow"}
    with pytest.raises(ValidationError):
        field.run_validation("a")


def test_input_is_compared_by_its_text() -> None:
    field = fields.ChoiceField(choices=[(1, "one"), ("2", "two")])
    assert field.run_validation("1") == 1
    assert field.run_validation(2) == "2"
    assert field.to_representation("1") == 1
    assert field.to_representation("other") == "other"


@pytest.mark.parametrize("given", [1, "1", Colour.RED])
def test_members_of_an_enumeration(given: Any) -> None:
    field = fields.ChoiceField(choices=list(Colour))
    assert field.run_validation(given) is Colour.RED
    assert fields.ChoiceField(choices=[1, "b"]).run_validation(given) == 1


def test_choices_of_a_django_enumeration() -> None:
    field = fields.ChoiceField(choices=Size.choices)
    assert field.run_validation("1") == 1
    assert field.to_representation(Size.SMALL) == 1


def options(field: fields.ChoiceField) -> list[str]:
    shown = []
    for option in field.iter_options():
        if option.start_option_group:
            shown.append(f"<{option.label}>")
        elif option.end_option_group:
            shown.append("</>")
        else:
            shown.append(f"{option.value}{'!' if option.disabled else ''}={option.display_text}")
    return shown


def test_options_with_groups() -> None:
    field = fields.ChoiceField(choices=GROUPED)
    assert options(field) == ["<Warm>", "r=Red", "y=Yellow", "</>", "b=Blue"]


def test_options_beyond_the_cutoff() -> None:
    field = fields.ChoiceField(choices=GROUPED, html_cutoff=1, html_cutoff_text="{count} only")
    assert options(field) == ["<Warm>", "r=Red", "</>", "n/a!=1 only"]


def test_options_without_a_text_for_the_rest() -> None:
    assert len(list(iter_options({"a": "A", "b": "B"}, cutoff=1))) == 1


def test_several_choices() -> None:
    field = fields.MultipleChoiceField(choices=["a", "b", 1], allow_empty=False)
    assert field.run_validation(["b", "1", "a", "b"]) == ["b", 1, "a"]
    assert field.to_representation(["b", "b", "1"]) == ["b", 1]
    with pytest.raises(ValidationError) as caught:
        field.run_validation(iter([]))
    assert caught.value.get_codes() == ["empty"]


def test_several_choices_in_a_form() -> None:
    field = fields.MultipleChoiceField(choices=["a", "b"])
    field.bind("f", None)
    assert field.get_value(QueryDict("f=a&f=b")) == ["a", "b"]
    assert field.get_value(QueryDict("")) == []
    assert field.get_value({}) is fields.empty


def test_file_paths(tmp_path: Path) -> None:
    for name in ("a.txt", "b.py"):
        (tmp_path / name).touch()
    field = fields.FilePathField(str(tmp_path), match=r"\.py$")
    blank = dict(forms.FilePathField(str(tmp_path), required=False).choices)[""]
    assert list(field.choices.values()) == [blank, "b.py"]
    assert field.run_validation(str(tmp_path / "b.py")) == str(tmp_path / "b.py")
    (tmp_path / "c.py").touch()
    for other in (copy.deepcopy(field), clone(field)):
        assert sorted(other.choices.values()) == sorted([blank, "b.py", "c.py"])
    with pytest.raises(OSError, match="nowhere"):
        fields.FilePathField(str(tmp_path / "nowhere"))


def test_own_words_for_booleans() -> None:
    class Ja(fields.BooleanField):
        TRUE_VALUES = {"ja"}
        FALSE_VALUES = {"nein"}

    assert Ja().run_validation("JA") is True
    assert Ja().to_representation("nein") is False
    with pytest.raises(ValidationError):
        Ja().run_validation("yes")


def test_subclasses_make_a_property_of_the_parts() -> None:
    class Counted(fields.ChoiceField):
        def _get_choices(self) -> dict[Any, Any]:
            return {"first": "First", **super()._get_choices()}

        choices = property(_get_choices, fields.ChoiceField._set_choices)

    field = Counted(choices=["a"])
    assert field.choices == {"first": "First", "a": "a"}
    field.choices = ["b"]
    assert (field.choices, field.run_validation("b")) == ({"first": "First", "b": "b"}, "b")


@pytest.mark.parametrize("change", ["class", "patched", "field"])
def test_own_words_may_leave_out_booleans(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ja(fields.BooleanField): ...

    class Answer(serializers.Serializer):
        answer = Ja()

    data = {"answer": True}
    assert Answer(data=data).is_valid()
    if change != "field":
        owner = Ja if change == "class" else fields.BooleanField
        monkeypatch.setattr(owner, "TRUE_VALUES", {"ja"})
    serializer = Answer(data=data)
    if change == "field":
        serializer.fields["answer"].TRUE_VALUES = {"ja"}
    assert not serializer.is_valid()


# ---- checkboxes of forms ----


class Switches(serializers.Serializer):
    plain = serializers.BooleanField()
    free = serializers.BooleanField(required=False)
    started = serializers.BooleanField(default=True)
    maybe = serializers.BooleanField(allow_null=True, required=False)


def test_a_form_without_a_checkbox_says_false_or_nothing(settings: Any) -> None:
    form = QueryDict("other=1")
    usual = Switches(data=form)
    assert usual.is_valid()
    assert usual.validated_data == {"plain": False, "free": False, "started": True, "maybe": None}
    settings.REST_FRAMEWORK = {"ABSENT_CHECKBOX": "absent"}
    strict = Switches(data=form)
    assert not strict.is_valid()
    assert strict.errors == {"plain": ["This field is required."]}
    sent = Switches(data=QueryDict("plain=on&free=false"))
    assert sent.is_valid()
    assert sent.validated_data == {"plain": True, "free": False, "started": True}


def test_forms_of_pages_say_false_themselves(settings: Any) -> None:
    renderer = HTMLFormRenderer()
    assert "hidden" not in renderer.render(Switches().data)
    settings.REST_FRAMEWORK = {"ABSENT_CHECKBOX": "absent"}
    assert '<input type="hidden" name="plain" value="false">' in renderer.render(Switches().data)
    # A browser sends both for a box that is checked; the last one counts.
    checked = Switches(data=QueryDict("plain=false&plain=true"))
    assert checked.is_valid()
    assert checked.validated_data["plain"] is True
