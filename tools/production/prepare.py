"""Run in a process of its own: migrations as a step before any new code starts, and sample data."""

from __future__ import annotations

import os
import sys

import django
from django.core.management import call_command


def main(password: str, snippets: str, trips: str) -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("loadsample", password=password, count=int(snippets))
    call_command("loadrides", trips=int(trips))


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    main(*sys.argv[1:])
