"""Tables of the contenders: articles with columns of the usual kinds, books with relations."""

import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.db import models


class Author(models.Model):
    """Who wrote an article."""

    name = models.CharField(max_length=100)


class Article(models.Model):
    """Twelve fields, one of them a foreign key."""

    title = models.CharField(max_length=200)
    slug = models.SlugField(max_length=200)
    body = models.TextField()
    status = models.CharField(max_length=10, choices=[("draft", "Draft"), ("live", "Live")])
    words = models.IntegerField()
    price = models.DecimalField(max_digits=8, decimal_places=2)
    ratio = models.FloatField()
    active = models.BooleanField(default=True)
    published = models.DateTimeField()
    day = models.DateField()
    token = models.UUIDField(default=uuid.uuid4)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)


def load(rows: int) -> None:
    """Fill both tables with the same rows in every process."""
    authors = Author.objects.bulk_create(Author(name=f"author {n}") for n in range(20))
    start = datetime(2026, 1, 1, tzinfo=UTC)
    Article.objects.bulk_create(
        Article(
            title=f"Article number {n}",
            slug=f"article-number-{n}",
            body="Lorem ipsum dolor sit amet, consectetur adipiscing elit. " * 3,
            status=("draft", "live")[n % 2],
            words=n * 7,
            price=Decimal(n).scaleb(-2),
            ratio=n / 7,
            active=n % 3 > 0,
            published=start + timedelta(minutes=n, microseconds=n),
            day=date(2026, 1, 1) + timedelta(days=n % 365),
            token=uuid.UUID(int=n),
            author=authors[n % 20],
        )
        for n in range(rows)
    )


class Event(models.Model):
    """One row of many; a hundred each share a moment."""

    name = models.CharField(max_length=40)
    created = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["created", "id"], name="event_in_order")]


class Label(models.Model):
    """What a book is about."""

    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["id"]


class Book(models.Model):
    """A row with relations of each kind."""

    title = models.CharField(max_length=200)
    summary = models.TextField()
    price = models.DecimalField(max_digits=8, decimal_places=2)
    published = models.DateTimeField()
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    labels = models.ManyToManyField(Label)

    @property
    def short_summary(self) -> str:
        """The first words, as a page of search results shows them."""
        return self.summary[:20]


class Review(models.Model):
    """One of the rows that belong to a book."""

    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="reviews")
    stars = models.IntegerField()
    text = models.TextField()
    created = models.DateTimeField()

    class Meta:
        ordering = ["id"]


def load_books(rows: int) -> None:
    """Fill the tables of books, after those of articles: each with three labels, four reviews."""
    authors = list(Author.objects.order_by("pk"))
    labels = Label.objects.bulk_create(Label(name=f"label {n}") for n in range(30))
    start = datetime(2026, 1, 1, tzinfo=UTC)
    books = Book.objects.bulk_create(
        Book(
            title=f"Book number {n}",
            summary="Sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. " * 2,
            price=Decimal(1999 + n).scaleb(-2),
            published=start + timedelta(hours=n, microseconds=n),
            author=authors[n % len(authors)],
        )
        for n in range(rows)
    )
    Book.labels.through.objects.bulk_create(
        Book.labels.through(book=book, label=labels[(n + step) % len(labels)])
        for n, book in enumerate(books)
        for step in (0, 7, 11)
    )
    Review.objects.bulk_create(
        Review(
            book=book,
            stars=1 + (n + step) % 5,
            text=f"Review {step} of book {n}.",
            created=start + timedelta(days=step, seconds=n, microseconds=step),
        )
        for n, book in enumerate(books)
        for step in range(4)
    )
