from contract_project.models import Profile, Snippet, Tag
from django.contrib.auth.models import User
from django.db import models
from django.test.utils import isolate_apps

from lintel.utils import model_meta
from lintel.utils.model_meta import FieldInfo, get_field_info, is_abstract_model


def test_parts_of_a_model() -> None:
    info = get_field_info(Snippet)
    assert info.pk.name == "id"
    assert list(info.fields)[:2] == ["created", "title"]
    assert list(info.fields_and_pk)[:3] == ["pk", "id", "created"]
    assert list(info.relations) == ["owner", "tags"]
    assert info.relations["owner"].to_field == "id"
    assert info.relations["tags"].to_many


def test_reverse_relations_have_no_model_field() -> None:
    info = get_field_info(User)
    assert info.reverse_relations["snippets"].to_many
    assert not info.reverse_relations["profile"].to_many
    assert info.reverse_relations["profile"].related_model is Profile
    assert info.reverse_relations["profile"].model_field is None
    assert info.reverse_relations["profile"].reverse


def test_packages_ask_for_single_parts() -> None:
    info, options = get_field_info(Snippet), Snippet._meta
    pk, fields = model_meta._get_pk(options), model_meta._get_fields(options)
    forward = model_meta._get_forward_relationships(options)
    reverse = model_meta._get_reverse_relationships(options)
    assert model_meta._get_to_field(options.get_field("owner")) == "id"
    assert (pk, fields, forward, reverse) == info[:4]
    assert model_meta._merge_fields_and_pk(pk, fields) == info.fields_and_pk
    assert model_meta._merge_relationships(forward, reverse) == info.relations


def test_callers_own_the_dictionaries() -> None:
    info = get_field_info(Tag)
    info.fields.clear()
    info.relations.clear()
    assert list(get_field_info(Tag).fields) == ["name"]
    assert isinstance(info, FieldInfo)


@isolate_apps("contract_project")
def test_a_relation_that_comes_later_is_noticed() -> None:
    class Shelf(models.Model):
        class Meta:
            app_label = "contract_project"

    assert get_field_info(Shelf).reverse_relations == {}

    class Book(models.Model):
        shelf = models.ForeignKey(Shelf, models.CASCADE, related_name="books")

        class Meta:
            app_label = "contract_project"

    assert get_field_info(Shelf).reverse_relations["books"].related_model is Book


@isolate_apps("contract_project")
def test_the_key_of_an_inherited_table_is_the_one_of_the_parent() -> None:
    class Place(models.Model):
        class Meta:
            app_label = "contract_project"

    class Restaurant(Place):
        stars = models.IntegerField()

        class Meta:
            app_label = "contract_project"

    info = get_field_info(Restaurant)
    assert info.pk.model is Place
    assert list(info.fields) == ["stars"]


@isolate_apps("contract_project")
def test_through_models_are_known_from_both_sides() -> None:
    class Person(models.Model):
        class Meta:
            app_label = "contract_project"

    class Club(models.Model):
        people = models.ManyToManyField(Person, through="Stay", related_name="clubs")

        class Meta:
            app_label = "contract_project"

    class Stay(models.Model):
        person = models.ForeignKey(Person, models.CASCADE)
        club = models.ForeignKey(Club, models.CASCADE)

        class Meta:
            app_label = "contract_project"

    assert get_field_info(Club).relations["people"].has_through_model
    assert get_field_info(Person).relations["clubs"].has_through_model
    assert not get_field_info(Person).relations["stay_set"].has_through_model


def test_abstract_models_are_recognised() -> None:
    class Base(models.Model):
        class Meta:
            abstract = True
            app_label = "contract_project"

    assert is_abstract_model(Base)
    assert not is_abstract_model(Tag)
    assert not is_abstract_model(object)


@isolate_apps("contract_project")
def test_columns_that_are_unique_for_a_date_are_known() -> None:
    class Post(models.Model):
        day = models.DateField()
        slug = models.SlugField(unique_for_month="day")

        class Meta:
            app_label = "contract_project"

    class Reply(Post):
        class Meta:
            app_label = "contract_project"

    assert model_meta.has_date_rules(Post)
    assert model_meta.has_date_rules(Reply)
    assert not model_meta.has_date_rules(Tag)
