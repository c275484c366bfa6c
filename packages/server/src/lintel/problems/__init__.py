"""Errors as a contract: stable codes, and bodies according to RFC 9457 (problem details).

The setting ERROR_FORMAT chooses between the known bodies ("drf"), problem details ("problem"), and
both, depending on the Accept header ("both").
"""

from lintel.patches import carry_on_patches
from lintel.problems.bodies import problem_body as problem_body
from lintel.problems.catalogue import CODES as CODES
from lintel.problems.catalogue import COMPONENTS as COMPONENTS
from lintel.problems.catalogue import PROBLEM_MEDIA_TYPE as PROBLEM_MEDIA_TYPE
from lintel.problems.catalogue import ErrorBody as ErrorBody
from lintel.problems.catalogue import ErrorCode as ErrorCode
from lintel.problems.catalogue import error_bodies as error_bodies
from lintel.problems.catalogue import error_components as error_components
from lintel.problems.places import about_parameter as about_parameter

carry_on_patches(__name__)
