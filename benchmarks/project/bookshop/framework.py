"""The service in the API that lintel and Django REST framework share."""

from __future__ import annotations

import itertools
import os
from importlib import import_module
from typing import Any

from django.contrib.auth.models import User
from django.urls import path

from benchmarks.project.bookshop.accounts import TOKEN
from benchmarks.project.models import Article, Author, Book, Label, Review
from benchmarks.project.orders import make_serializers

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
authentication: Any = import_module(f"{PACKAGE}.authentication")
exceptions: Any = import_module(f"{PACKAGE}.exceptions")
filters: Any = import_module(f"{PACKAGE}.filters")
generics: Any = import_module(f"{PACKAGE}.generics")
pagination: Any = import_module(f"{PACKAGE}.pagination")
permissions: Any = import_module(f"{PACKAGE}.permissions")
serializers: Any = import_module(f"{PACKAGE}.serializers")
throttling: Any = import_module(f"{PACKAGE}.throttling")
views: Any = import_module(f"{PACKAGE}.views")
Response: Any = import_module(f"{PACKAGE}.response").Response

OrderSerializer, _ = make_serializers(serializers)


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = [field.name for field in Article._meta.fields if field.name != "id"]


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name"]


class LabelSerializer(serializers.ModelSerializer):
    class Meta:
        model = Label
        fields = ["id", "name"]


class ReviewSerializer(serializers.ModelSerializer):
    class Meta:
        model = Review
        fields = ["id", "stars", "text", "created"]


class BookSerializer(serializers.ModelSerializer):
    author = AuthorSerializer()
    labels = LabelSerializer(many=True)

    class Meta:
        model = Book
        fields = ["id", "title", "summary", "price", "published", "author", "labels"]


class ReviewedSerializer(serializers.ModelSerializer):
    author = AuthorSerializer()
    reviews = ReviewSerializer(many=True)

    class Meta:
        model = Book
        fields = ["id", "title", "summary", "price", "published", "author", "reviews"]


class Hundred(pagination.PageNumberPagination):
    page_size = 100


class Fifty(pagination.PageNumberPagination):
    page_size = 50


class Twenty(pagination.PageNumberPagination):
    page_size = 20


class Empty(views.APIView):
    def get(self, request: Any) -> Any:
        return Response({"ok": True})


class RememberedUser(authentication.BaseAuthentication):
    """Knows its user without a query, so that only the framework's work is measured."""

    user = User(pk=1, username="remembered")

    def authenticate(self, request: Any) -> Any:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        if header != f"Token {TOKEN}":
            raise exceptions.AuthenticationFailed
        return self.user, None

    def authenticate_header(self, request: Any) -> str:
        return "Token"


# One second passes between two requests, however fast they are answered: each window is full, and
# no request is refused.
throttling.SimpleRateThrottle.timer = itertools.count(1_800_000_000).__next__
throttling.UserRateThrottle.rate = "100/minute"


class Guarded(Empty):
    authentication_classes = (RememberedUser,)
    permission_classes = (permissions.IsAuthenticated,)
    throttle_classes = (throttling.UserRateThrottle,)


class Articles(generics.ListCreateAPIView):
    queryset = Article.objects.order_by("pk")
    serializer_class = ArticleSerializer
    pagination_class = Hundred


class OneArticle(generics.RetrieveAPIView):
    queryset = Article.objects.all()
    serializer_class = ArticleSerializer


class OneBook(generics.RetrieveAPIView):
    queryset = Book.objects.select_related("author").prefetch_related("labels")
    serializer_class = BookSerializer


class Books(generics.ListAPIView):
    queryset = Book.objects.select_related("author").prefetch_related("reviews").order_by("pk")
    serializer_class = ReviewedSerializer
    pagination_class = Fifty


def column_filter() -> Any:
    """What the documentation of each compares columns with."""
    if PACKAGE == "lintel":
        return filters.FieldFilter
    return import_module("django_filters.rest_framework").DjangoFilterBackend


class Search(generics.ListAPIView):
    queryset = Article.objects.all()
    serializer_class = ArticleSerializer
    pagination_class = Twenty
    filter_backends = (column_filter(), filters.SearchFilter, filters.OrderingFilter)
    filter_fields = ("status", "words__gte")
    filterset_fields = {"status": ["exact"], "words": ["gte"]}
    search_fields = ("title", "body")
    ordering_fields = ("published", "words")


class Orders(views.APIView):
    def post(self, request: Any) -> Any:
        OrderSerializer(data=request.data).is_valid(raise_exception=True)
        return Response({"ok": True})


urlpatterns = [
    path("empty/", Empty.as_view()),
    path("guarded/", Guarded.as_view()),
    path("articles/", Articles.as_view()),
    path("articles/<int:pk>/", OneArticle.as_view()),
    path("books/", Books.as_view()),
    path("books/<int:pk>/", OneBook.as_view()),
    path("search/", Search.as_view()),
    path("orders/", Orders.as_view()),
]
