"""Answers recorded requests with one of the frameworks: a program, whose task is its input.

``{"with_lintel": ..., "requests": [...], "user": ...}``; the last line it prints is a list of
``{"status": ..., "headers": ..., "body": ...}``, or ``{"error": ...}``. All writes are rolled back.
"""

import json
import os
import sys
from typing import Any

import django
from django.apps import apps
from django.conf import settings
from django.db import connections, transaction
from django.test.client import Client
from django.test.utils import setup_test_environment

from lintel import dropin


def answers(task: dict[str, Any]) -> list[dict[str, Any]]:
    if task["with_lintel"]:
        dropin.enable()
    dropin.enable = lambda: None  # the settings may call it already
    django.setup()
    setup_test_environment()
    settings.ALLOWED_HOSTS = ["*"]
    for alias in connections:
        transaction.atomic(alias).__enter__()  # ends with the process: everything is rolled back
    client = Client(raise_request_exception=False)
    if task["user"]:
        users: Any = apps.get_model(settings.AUTH_USER_MODEL)._default_manager
        client.force_login(users.get_by_natural_key(task["user"]))
    return [_answer(client, request) for request in task["requests"]]


def _answer(client: Client, request: dict[str, Any]) -> dict[str, Any]:
    response: Any = client.generic(
        request["method"],
        request["path"],
        request["body"],
        request["type"],
        secure=request["secure"],
        headers=request["headers"],
    )
    content = b"".join(response.streaming_content) if response.streaming else response.content
    headers = {name.lower(): value for name, value in response.items()}
    body = content.decode(errors="backslashreplace")
    return {"status": response.status_code, "headers": headers, "body": body}


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    try:
        said: object = answers(json.load(sys.stdin))
    except Exception as error:  # any exception in the project's code is the outcome
        said = {"error": f"{type(error).__name__}: {error}"}
    print(f"\n{json.dumps(said)}")
