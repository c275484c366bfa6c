"""The rows of the gallery: one user, eight authors, 57 books."""

import datetime

from django.contrib.auth.models import User

from shelf.models import Author, Book

AUTHORS = {
    "Chinua Achebe": 1930,
    "Ingeborg Bachmann": 1926,
    "Jorge Luis Borges": 1899,
    "Anton Chekhov": 1860,
    "Clarice Lispector": 1920,
    "Naguib Mahfouz": 1911,
    "Yoko Ogawa": 1962,
    "Virginia Woolf": 1882,
}
TITLES = [
    "A Room Above the Harbour",
    "The Orchard in March",
    "Letters Nobody Sent",
    "Salt",
    "The Cartographer",
    "Eleven Winters",
    "What the River Kept",
    "Small Engines",
    "The Glass Beekeeper",
    "An Honest Map of Clouds",
]


def fill() -> None:
    """Make the rows."""
    User.objects.create_user("ada", password="correct horse")
    born = {name: datetime.date(year, 3, 1) for name, year in AUTHORS.items()}
    authors = [Author.objects.create(name=name, born=day) for name, day in born.items()]
    Book.objects.bulk_create(book(number, authors) for number in range(57))


def book(number: int, authors: list[Author]) -> Book:
    volume = number // len(TITLES)
    return Book(
        title=TITLES[number % len(TITLES)] + (f", volume {volume + 1}" if volume else ""),
        author=authors[number * 3 % len(authors)],
        genre=Book.Genre.values[number % 3],
        pages=90 + number * 37 % 400,
        in_print=number % 4 > 0,
        published=datetime.date(1950 + number, 1 + number % 12, 1 + number % 28),
        notes="Reads best in one sitting." if number % 3 == 0 else "",
        extra={"shelf": f"B{number % 9}", "languages": ["en", "de"]} if number % 2 else {},
    )
