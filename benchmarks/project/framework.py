"""The endpoints in the API that lintel and Django REST framework share."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from django.urls import path

from benchmarks.project.models import Article

PACKAGE = os.environ["BENCHMARK_FRAMEWORK"]
generics: Any = import_module(f"{PACKAGE}.generics")
serializers: Any = import_module(f"{PACKAGE}.serializers")
views: Any = import_module(f"{PACKAGE}.views")
Response: Any = import_module(f"{PACKAGE}.response").Response


class ArticleSerializer(serializers.ModelSerializer):
    class Meta:
        model = Article
        fields = [field.name for field in Article._meta.fields if field.name != "id"]


class ArticleList(generics.ListCreateAPIView):
    queryset = Article.objects.order_by("pk")
    serializer_class = ArticleSerializer


class ArticleDetail(generics.RetrieveAPIView):
    queryset = Article.objects.all()
    serializer_class = ArticleSerializer


class Empty(views.APIView):
    def get(self, request: Any) -> Any:
        return Response({"ok": True})


urlpatterns = [
    path("articles/", ArticleList.as_view()),
    path("articles/<int:pk>/", ArticleDetail.as_view()),
    path("empty/", Empty.as_view()),
]
