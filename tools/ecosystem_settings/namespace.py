"""The application ``tests`` where it has no ``__init__``: Django cannot find its path then."""

from pathlib import Path

from django.apps import AppConfig


class Tests(AppConfig):
    name = "tests"
    path = str(Path(__file__).parent)
