"""The suite of rest-framework-generic-relations."""

from ecosystem_settings.plain import *  # noqa: F403
from ecosystem_settings.plain import INSTALLED_APPS as PLAIN_APPS

INSTALLED_APPS = [*PLAIN_APPS, "generic_relations", "generic_relations.tests"]
ROOT_URLCONF = "generic_relations.tests.test_relations"
