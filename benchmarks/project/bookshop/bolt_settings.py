"""The settings of the project for django-bolt, which is a server of its own."""

from benchmarks.project.settings import *  # noqa: F403 - a settings module of the usual kind
from benchmarks.project.settings import INSTALLED_APPS

TIME_ZONE = "UTC"
INSTALLED_APPS += ["django_bolt"]
BOLT_API = ["benchmarks.project.bookshop.with_bolt:api"]
#: Django's check wants addresses; requests never reach these.
ROOT_URLCONF = "benchmarks.project.bookshop.by_hand"
