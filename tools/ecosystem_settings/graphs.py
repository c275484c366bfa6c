"""The suite of graphene-django, whose models for tests lie where nobody looks for them."""

from importlib import import_module

from django.apps import AppConfig

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "ecosystem_settings.graphs.Graphs"]


class Graphs(AppConfig):
    name = "graphene_django"

    def import_models(self):
        super().import_models()
        self.models_module = import_module("graphene_django.rest_framework.models")
