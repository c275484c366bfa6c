"""Cases that quote messages of Python or Django, which differ between versions."""

import sys

import django

from contract_replay.cases import Case

#: The facts were recorded with Django 5.2 on Python 3.11.
_PYTHON_WORDS = (3, 13)
_DJANGO_WORDS = (6, 1)

_QUOTE_PYTHON = {"parsers-011", "parsers-033"}
_QUOTE_DJANGO = "models.BinaryField"


def other_words(case: Case) -> str:
    """Return why a case cannot have the recorded outcome on these versions, else an empty text."""
    if sys.version_info >= _PYTHON_WORDS and case.id in _QUOTE_PYTHON:
        return "quotes a message of Python's json module as of 3.11"
    if _DJANGO_WORDS <= django.VERSION and _QUOTE_DJANGO in str(case.facts.get("field")):
        return "shows how BinaryField of Django 5.2 takes text that is not base64"
    return ""
