"""The application ``tests`` without ``__init__``, whose path Django cannot find."""

from pathlib import Path

from django.apps import AppConfig


class Tests(AppConfig):
    name = "tests"
    path = str(Path(__file__).parent)
