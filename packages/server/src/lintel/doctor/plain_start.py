"""Starts a project as it is and prints, as JSON, how far it came: a program.

The last line it prints is ``{"error": ..., "module": ...}`` or ``{"checks": [[id, text], ...]}``.
"""

import json
import os
import sys

import django
from django.core.checks import run_checks

from lintel import dropin


def outcome() -> dict[str, object]:
    dropin.enable = lambda: None  # the settings may call it already
    try:
        django.setup()
        return {"checks": [[message.id, str(message.msg)] for message in run_checks()]}
    except Exception as error:  # any exception in the project's code is the outcome
        module = getattr(error, "name", None) if isinstance(error, ImportError) else None
        return {"error": f"{type(error).__name__}: {error}", "module": module}


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    print(f"\n{json.dumps(outcome())}")
