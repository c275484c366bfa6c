"""Settings of all server tests: the sample project of the contract, and the test apps of ours."""

from importlib.util import find_spec

from contract_project.settings import *  # noqa: F403
from contract_project.settings import INSTALLED_APPS as CONTRACT_APPS

INSTALLED_APPS = [
    *(app for app in CONTRACT_APPS if find_spec(app)),
    "lintel.idempotency",
    "lintel.audit",
    "django.contrib.postgres",
    # its configuration without autodiscovery: the admin only has to be importable
    "django.contrib.admin.apps.SimpleAdminConfig",
]
