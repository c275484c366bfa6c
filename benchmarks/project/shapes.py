"""Lists as real projects write them: a page of books for each way to say what a list shows."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from django.db.models import Avg, Count, F, Prefetch
from django.urls import path

from benchmarks.project.models import Author, Book, Label, Review

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
generics: Any = import_module(f"{PACKAGE}.generics")
pagination: Any = import_module(f"{PACKAGE}.pagination")
serializers: Any = import_module(f"{PACKAGE}.serializers")

COLUMNS = ["id", "title", "summary", "price", "published"]


class Pages(pagination.PageNumberPagination):
    page_size = 50


class LabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = ["id", "name"]


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name"]


class ReviewSerializer(serializers.ModelSerializer):
    class Meta:
        model = Review
        fields = ["id", "stars", "text", "created"]


class Columns(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = [*COLUMNS, "author"]


class WithMethod(Columns):
    heading = serializers.SerializerMethodField()

    class Meta(Columns.Meta):
        fields = [*Columns.Meta.fields, "heading"]

    def get_heading(self, book: Any) -> str:
        return f"{book.title} ({book.price})"


class Short(WithMethod):
    class Meta(WithMethod.Meta):
        fields = ["id", "title", "price", "published", "author", "heading"]


class WithProperty(Columns):
    short_summary = serializers.ReadOnlyField()

    class Meta(Columns.Meta):
        fields = [*Columns.Meta.fields, "short_summary"]


class WithItsOwnEnd(Columns):
    def to_representation(self, instance: Any) -> Any:
        shown = super().to_representation(instance)
        shown["is_cheap"] = instance.price < 30
        return shown


class ChosenFields(serializers.ModelSerializer):
    """Drops fields in ``__init__``, as the documentation of the known API shows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        request = self.context.get("request")
        if request is None or "fields" not in request.query_params:
            return
        for name in set(self.fields) - set(request.query_params["fields"].split(",")):
            self.fields.pop(name)


class WithChosenFields(ChosenFields):
    class Meta:
        model = Book
        fields = [*COLUMNS, "author"]


class LessByRequest(serializers.ModelSerializer):
    """Leaves out costly fields in ``get_fields()`` unless the request asks for them."""

    costly: tuple[str, ...] = ()

    def get_fields(self) -> Any:
        fields = super().get_fields()
        request = self.context.get("request")
        if request is None or "extended" not in request.query_params:
            for name in self.costly:
                del fields[name]
        return fields


class LabelWithLess(LessByRequest):
    costly = ("books",)
    books = serializers.SerializerMethodField()

    class Meta:
        model = Label
        fields = ["id", "name", "books"]

    def get_books(self, label: Any) -> int:
        return label.book_set.count()


class WithLess(LessByRequest):
    costly = ("copies",)
    copies = serializers.SerializerMethodField()

    class Meta:
        model = Book
        fields = [*COLUMNS, "author", "copies"]

    def get_copies(self, book: Any) -> int:
        return 7


class WithMethodAndLess(WithLess):
    heading = serializers.SerializerMethodField()

    class Meta(WithLess.Meta):
        fields = [*WithLess.Meta.fields, "heading"]

    def get_heading(self, book: Any) -> str:
        return f"{book.title} ({book.price})"


class NestedWithLess(LessByRequest):
    labels = LabelWithLess(many=True)
    author = AuthorSerializer()

    class Meta:
        model = Book
        fields = [*COLUMNS, "author", "labels"]


class NestedMethodAndLess(serializers.ModelSerializer):
    labels = LabelWithLess(many=True)
    author = AuthorSerializer()
    heading = serializers.SerializerMethodField()

    class Meta:
        model = Book
        fields = [*COLUMNS, "author", "labels", "heading"]

    def get_heading(self, book: Any) -> str:
        return f"{book.title} ({book.price})"


class WithAnnotations(Columns):
    review_count = serializers.IntegerField()
    average = serializers.FloatField()
    author_name = serializers.CharField()

    class Meta(Columns.Meta):
        fields = [*Columns.Meta.fields, "review_count", "average", "author_name"]


class Nested(serializers.ModelSerializer):
    author = AuthorSerializer()
    labels = LabelSerializer(many=True)
    reviews = ReviewSerializer(many=True)

    class Meta:
        model = Book
        fields = [*COLUMNS, "author", "labels", "reviews"]


class NestedWithMethod(Nested):
    heading = serializers.SerializerMethodField()

    class Meta(Nested.Meta):
        fields = [*Nested.Meta.fields, "heading"]

    def get_heading(self, book: Any) -> str:
        return f"{book.title} ({book.price})"


class ChildByHand(Columns):
    """A child made in a method, which sees the context."""

    author = serializers.SerializerMethodField()

    def get_author(self, book: Any) -> Any:
        return AuthorSerializer(book.author, context=self.context).data


class Bookmark(serializers.ModelSerializer):
    """Names of labels from prefetched rows, a flag of the request, a nested author."""

    label_names = serializers.SerializerMethodField()
    author = AuthorSerializer()
    is_new = serializers.SerializerMethodField()

    class Meta:
        model = Book
        fields = [*COLUMNS, "label_names", "author", "is_new"]

    def get_label_names(self, book: Any) -> list[str]:
        return sorted(label.name for label in book.labels.all())

    def get_is_new(self, book: Any) -> bool:
        return book.pk > 100


def listing(serializer: Any, queryset: Any, **members: Any) -> Any:
    """A view that shows pages of a queryset."""
    members = {"serializer_class": serializer, "pagination_class": Pages, **members}
    made = type("Listing", (generics.ListAPIView,), members | {"queryset": queryset})
    return made.as_view()


BOOKS = Book.objects.order_by("pk")
POPULAR = Review.objects.filter(stars__gt=1).order_by("-stars", "pk")

SHAPES: dict[str, Any] = {
    "columns": listing(Columns, BOOKS),
    "only": listing(Columns, BOOKS.only(*COLUMNS, "author")),
    "defer": listing(Short, BOOKS.defer("summary")),
    "annotations": listing(
        WithAnnotations,
        BOOKS.annotate(
            review_count=Count("reviews"),
            average=Avg("reviews__stars"),
            author_name=F("author__name"),
        ),
    ),
    "method": listing(WithMethod, BOOKS),
    "property": listing(WithProperty, BOOKS),
    "to_representation": listing(WithItsOwnEnd, BOOKS),
    "__init__": listing(WithChosenFields, BOOKS),
    "get_fields": listing(WithLess, BOOKS),
    "get_fields, method": listing(WithMethodAndLess, BOOKS),
    "nested": listing(Nested, BOOKS.select_related("author").prefetch_related("labels", "reviews")),
    "nested, Prefetch": listing(
        Nested,
        BOOKS.select_related("author").prefetch_related("labels", Prefetch("reviews", POPULAR)),
    ),
    "nested, method": listing(
        NestedWithMethod, BOOKS.select_related("author").prefetch_related("labels", "reviews")
    ),
    "nested get_fields": listing(
        NestedWithLess, BOOKS.select_related("author").prefetch_related("labels")
    ),
    "nested get_fields, method": listing(
        NestedMethodAndLess, BOOKS.select_related("author").prefetch_related("labels")
    ),
    "child by hand": listing(ChildByHand, BOOKS.select_related("author")),
    "bookmarks": listing(Bookmark, BOOKS.select_related("author").prefetch_related("labels")),
}

urlpatterns = [path(f"{number}/", view) for number, view in enumerate(SHAPES.values())]
