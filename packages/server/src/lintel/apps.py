"""The Django application ``lintel``: templates, static files, translations and system checks."""

from importlib import import_module

from django.apps import AppConfig

from lintel import installation

# The package itself checks too, unless its own file was overwritten.
installation.refuse_other_distribution()


class RestFrameworkConfig(AppConfig):
    """Put ``"lintel"`` into ``INSTALLED_APPS`` to get this configuration."""

    name = "lintel"
    verbose_name: str = "Django REST framework"

    def ready(self) -> None:
        import_module("lintel.checks")
        import_module("lintel.security_checks")
