"""Authors and books, with a column of most kinds."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80, help_text="As it stands on the cover.")
    born = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Book(models.Model):
    class Genre(models.TextChoices):
        NOVEL = "novel", "Novel"
        ESSAY = "essay", "Essay"
        VERSE = "verse", "Verse"

    title = models.CharField(max_length=120)
    author = models.ForeignKey(Author, on_delete=models.CASCADE, related_name="books")
    genre = models.CharField(max_length=10, choices=Genre, default=Genre.NOVEL)
    pages = models.PositiveIntegerField(help_text="Without the cover.")
    in_print = models.BooleanField(default=True)
    published = models.DateField(null=True, blank=True)
    notes = models.TextField(blank=True, help_text="What a reader should know first.")
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.title
