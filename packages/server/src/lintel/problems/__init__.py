"""Errors as a contract: stable codes, and bodies according to RFC 9457 (problem details).

The setting ERROR_FORMAT chooses between the known bodies ("drf"), problem details ("problem"), and
both, depending on the Accept header ("both").
"""

from __future__ import annotations

from lintel.problems.answers import answer_of_status, put_problem
from lintel.problems.bodies import problem_body, problem_of_status, takes_problems
from lintel.problems.catalogue import (
    CODES,
    COMPONENTS,
    PROBLEM_MEDIA_TYPE,
    ErrorBody,
    ErrorCode,
    error_bodies,
    error_components,
)
from lintel.problems.places import about_parameter

__all__ = [
    "CODES",
    "COMPONENTS",
    "PROBLEM_MEDIA_TYPE",
    "ErrorBody",
    "ErrorCode",
    "about_parameter",
    "answer_of_status",
    "error_bodies",
    "error_components",
    "problem_body",
    "problem_of_status",
    "put_problem",
    "takes_problems",
]
