"""``manage.py generateschema``: the schema of the project, printed or written to a file."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.module_loading import import_string

from lintel import renderers
from lintel.schemas import coreapi
from lintel.schemas.document_settings import HookFailed
from lintel.schemas.openapi import SchemaGenerator

OPENAPI_MODE = "openapi"
COREAPI_MODE = "coreapi"

FORMATS: dict[str, dict[str, type]] = {
    OPENAPI_MODE: {
        "openapi": renderers.OpenAPIRenderer,
        "openapi-json": renderers.JSONOpenAPIRenderer,
    },
    COREAPI_MODE: {
        "openapi": renderers.CoreAPIOpenAPIRenderer,
        "openapi-json": renderers.CoreAPIJSONOpenAPIRenderer,
        "corejson": renderers.CoreJSONRenderer,
    },
}


class Command(BaseCommand):
    """Writes the schema as a public schema view would serve it."""

    help = "Generates configured API schema for project."

    def get_mode(self) -> str:
        return COREAPI_MODE if coreapi.is_enabled() else OPENAPI_MODE

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--title", default="")
        parser.add_argument("--url")
        parser.add_argument("--description")
        parser.add_argument("--format", choices=list(FORMATS[self.get_mode()]), default="openapi")
        parser.add_argument("--urlconf")
        parser.add_argument("--generator_class")
        parser.add_argument("--file")
        parser.add_argument("--api_version", default="", help="The version of the document.")
        parser.add_argument(
            "--api-version",
            dest="described_version",
            default="",
            help="Describe this version of the API, and name it as that of the document.",
        )
        parser.add_argument(
            "--fail-on-warn",
            action="store_true",
            help="Exit with an error if something could not be described.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the schema. Raises CommandError for what cannot be found, described or written."""
        generator_class = self.get_generator_class()
        if options["generator_class"]:
            generator_class = found("--generator_class", options["generator_class"], import_string)
        if options["urlconf"]:
            found("--urlconf", options["urlconf"], lambda name: import_module(name).urlpatterns)
        described_version = options["described_version"]
        generator = generator_class(
            url=options["url"],
            title=options["title"],
            description=options["description"],
            urlconf=options["urlconf"],
            version=options["api_version"] or described_version,
        )
        generator._lintel_api_version = described_version or None
        generator.keeps_going = True
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                schema = generator.get_schema(request=None, public=True)
            except HookFailed as error:
                raise CommandError(str(error)) from error
        self.tell(caught, options["fail_on_warn"])
        if schema is None:
            raise CommandError(
                "There is nothing to describe: no API view is reachable from the URL patterns."
            )
        renderer = self.get_renderer(options["format"])
        output: bytes = renderer.render(schema, renderer_context={})
        if options["file"]:
            try:
                Path(options["file"]).write_bytes(output)
            except OSError as error:
                raise CommandError(f"The schema cannot be written: {error}") from error
        else:
            self.stdout.write(output.decode())

    def tell(self, caught: Sequence[warnings.WarningMessage], fails: bool) -> None:
        """Print the warnings. Raises CommandError with all of them if ``fails``."""
        if caught and fails:
            texts = "\n".join(f"- {warning.message}" for warning in caught)
            raise CommandError(f"The description is incomplete:\n{texts}")
        with plain_warnings():
            for item in caught:
                warnings.warn_explicit(item.message, item.category, item.filename, item.lineno)

    def get_generator_class(self) -> Any:
        if self.get_mode() == COREAPI_MODE:
            return coreapi.SchemaGenerator
        return SchemaGenerator

    def get_renderer(self, format: str) -> Any:
        """Return a renderer of the format. Raises KeyError for a name that the mode lacks."""
        return FORMATS[self.get_mode()][format]()


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings without the line of lintel that has made them: their text names the view."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *where, **more: f"warning: {message}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


def found(option: str, name: str, find: Callable[[str], Any]) -> Any:
    """Return the object that an option names. Raises CommandError if there is none.

    An import error inside the module is a bug there, and is raised unchanged.
    """
    try:
        return find(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise
        raise CommandError(f"{option}: there is no module {error.name}.") from error
    except (ImportError, AttributeError) as error:
        raise CommandError(f"{option} {name}: {error}.") from error
