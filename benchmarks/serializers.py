"""Serializers alone: reading, validating, constructing; no request, and one query at most.

The peer runs in the environment of ``benchmarks/peers.txt``, or with the interpreter named by
``BENCHMARK_PEER_PYTHON``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.contenders import REPOSITORY, Contender, peers_python, working
from benchmarks.measuring import Measurement, measure, table
from benchmarks.project.orders import ITEMS, ORDER, make_serializers

OBJECTS = 1000
NESTED_OBJECTS = 100
MEMORY_OBJECTS = 100_000

#: Scenario → how many times faster than the peer it must be.
GOALS = {
    "1,000 objects, 12 fields": 6,
    "100 objects, author and 3 tags": 3.5,
    "1,000 rows of a queryset": 3,
    "one instance": 20,
    "construct and touch fields": 5,
    "validate an order of 50 items": 6,
    "validate 200 items": 8,
}


def main() -> str:
    """Measure both contenders; return the table with the goals beside it."""
    peer = os.environ.get("BENCHMARK_PEER_PYTHON")
    contenders = [
        Contender("lintel", Path(sys.executable), "lintel"),
        Contender("DRF 3.18.3", Path(peer) if peer else peers_python(), "rest_framework"),
    ]
    with working("benchmarks.serializers", contenders) as workers:
        measurements = [measure(workers, name) for name in GOALS]
    memory = {one.name: _memory_of(one) for one in contenders}
    found = table(measurements, "lintel", ["DRF 3.18.3"])
    return f"{found}\n\n{_verdicts(measurements)}\n\n{_memory(memory)}"


def _verdicts(measurements: list[Measurement]) -> str:
    missed = [
        f"{one.scenario}: {one.ratio('DRF 3.18.3', 'lintel'):.2f} of {GOALS[one.scenario]}"
        for one in measurements
        if one.ratio("DRF 3.18.3", "lintel") < GOALS[one.scenario]
    ]
    return "Goals missed: " + ("; ".join(missed) if missed else "none")


def _memory_of(contender: Contender) -> str:
    command = [str(contender.python), "-m", "benchmarks.serializers", "memory"]
    command.append(contender.framework)
    found = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    return found.stdout.strip()


def _memory(answers: dict[str, str]) -> str:
    peaks = ", ".join(f"{name} {answer} MB" for name, answer in answers.items())
    return f"Peak of traced memory for {MEMORY_OBJECTS:,} objects: {peaks}"


def scenarios(framework: str) -> dict[str, Callable[[], object]]:
    """In the worker: set Django up with rows, and return one function per scenario."""
    _prepare(framework)
    serializers: Any = import_module(f"{framework}.serializers")
    return {**_reading(serializers), **_writing(serializers)}


def _prepare(framework: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
    os.environ["BENCHMARK_FRAMEWORK"] = framework
    import django
    from django.conf import settings  # the environment decides which settings these are

    settings.INSTALLED_APPS.append(framework)
    settings.TIME_ZONE = "UTC"  # what a new Django project has
    django.setup()
    from django.core.management import call_command

    from benchmarks.project.models import load

    call_command("migrate", run_syncdb=True, verbosity=0)
    load(OBJECTS)


def _reading(serializers: Any) -> dict[str, Callable[[], object]]:
    from benchmarks.project.models import Article  # needs the set-up project

    class ArticleSerializer(serializers.ModelSerializer):
        class Meta:
            model = Article
            fields = [field.name for field in Article._meta.fields if field.name != "id"]

    articles = [_article(Article, number) for number in range(OBJECTS)]
    first = articles[1]
    tagged_serializer, tagged = _tagged(serializers)
    return {
        "1,000 objects, 12 fields": lambda: ArticleSerializer(articles, many=True).data,
        "100 objects, author and 3 tags": lambda: tagged_serializer(tagged, many=True).data,
        "1,000 rows of a queryset": lambda: (
            ArticleSerializer(Article.objects.order_by("pk"), many=True).data
        ),
        "one instance": lambda: ArticleSerializer(first).data,
        "construct and touch fields": lambda: list(ArticleSerializer().fields.values()),
        "memory": lambda: _peak(ArticleSerializer, articles),
    }


def _article(model: Any, number: int) -> Any:
    return model(
        id=number,
        title=f"Article number {number}",
        slug=f"article-number-{number}",
        body="Lorem ipsum dolor sit amet, consectetur adipiscing elit. " * 3,
        status=("draft", "live")[number % 2],
        words=number * 7,
        price=Decimal(number).scaleb(-2),
        ratio=number / 7,
        active=number % 3 > 0,
        published=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number, microseconds=number),
        day=date(2026, 1, 1) + timedelta(days=number % 365),
        token=uuid.UUID(int=number),
        author_id=number % 20,
    )


def _peak(serializer: Any, articles: list[Any]) -> str:
    import tracemalloc

    many = articles * (MEMORY_OBJECTS // len(articles))
    tracemalloc.start()
    # The name keeps the data alive until the peak is read.
    data = serializer(many, many=True).data  # noqa: F841
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{peak / 1e6:.0f}"


def _tagged(serializers: Any) -> tuple[Any, list[Any]]:
    """A serializer with two nested ones, and objects whose relations are loaded."""
    from django.db import models  # needs the set-up project

    from benchmarks.project.models import Author

    class Tag(models.Model):
        name = models.CharField(max_length=30)

        class Meta:
            app_label = "project"

    class Post(models.Model):
        title = models.CharField(max_length=200)
        body = models.TextField()
        created = models.DateTimeField()
        author = models.ForeignKey(Author, on_delete=models.CASCADE)
        tags = models.ManyToManyField(Tag)

        class Meta:
            app_label = "project"

    class AuthorSerializer(serializers.ModelSerializer):
        class Meta:
            model = Author
            fields = ["id", "name"]

    class TagSerializer(serializers.ModelSerializer):
        class Meta:
            model = Tag
            fields = ["id", "name"]

    class PostSerializer(serializers.ModelSerializer):
        author = AuthorSerializer()
        tags = TagSerializer(many=True)

        class Meta:
            model = Post
            fields = ["id", "title", "body", "created", "author", "tags"]

    authors = [Author(id=number, name=f"author {number}") for number in range(20)]
    tags = [Tag(id=number, name=f"tag {number}") for number in range(10)]
    return PostSerializer, [_post(Post, Tag, number, authors, tags) for number in range(100)]


def _post(model: Any, tag_model: Any, number: int, authors: list[Any], tags: list[Any]) -> Any:
    post = model(
        id=number,
        title=f"Post {number}",
        body="Lorem ipsum dolor sit amet. " * 5,
        created=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number),
        author=authors[number % len(authors)],
    )
    prefetched = tag_model.objects.all()
    prefetched._result_cache = [tags[(number + step) % len(tags)] for step in range(3)]
    prefetched._prefetch_done = True
    post._prefetched_objects_cache = {"tags": prefetched}
    return post


def _writing(serializers: Any) -> dict[str, Callable[[], object]]:
    OrderSerializer, ItemSerializer = make_serializers(serializers)
    return {
        "validate an order of 50 items": lambda: _valid(OrderSerializer(data=ORDER)),
        "validate 200 items": lambda: _valid(ItemSerializer(data=ITEMS, many=True)),
    }


def _valid(serializer: Any) -> Any:
    if not serializer.is_valid():
        raise RuntimeError(f"the input of the benchmark is refused: {serializer.errors}")
    return serializer.validated_data


if __name__ == "__main__":
    print(scenarios(sys.argv[2])["memory"]() if sys.argv[1:2] == ["memory"] else main())
