"""``manage.py spectacular``: the document of the project, printed or written to a file."""

from typing import Any

from django.core.management.base import CommandParser

from lintel.management.commands.generateschema import FORMATS, OPENAPI_MODE
from lintel.management.commands.generateschema import Command as GenerateSchema
from lintel.spectacular.generators import SchemaGenerator


class Command(GenerateSchema):
    """Takes the options of the command it stands for, and those of ``generateschema``."""

    def get_mode(self) -> str:
        return OPENAPI_MODE

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--generator-class", dest="generator_class")
        parser.add_argument("--validate", action="store_true", help="Accepted, and always true.")
        parser.add_argument("--color", action="store_true", help="Accepted, without effect.")

    def get_generator_class(self) -> Any:
        return SchemaGenerator

    def get_renderer(self, format: str) -> Any:
        return FORMATS[OPENAPI_MODE][format]()
