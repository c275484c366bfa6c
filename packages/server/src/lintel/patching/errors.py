"""Why a patch cannot be applied (RFC 5789, section 2.2)."""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lintel import status
from lintel.exceptions import APIException, Detail, ErrorDetail, ValidationError


class PatchConflict(APIException):
    """The object is not as the patch expects: a place is missing, or a test fails."""

    status_code = status.HTTP_409_CONFLICT
    default_detail: Detail = _("The object is not as the patch expects.")
    default_code = "patch_conflict"


class PatchRefused(APIException):
    """The patch can be read, but changes what may not be changed."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail: Detail = _("The patch changes what may not be changed.")
    default_code = "patch_refused"


class Failure(Exception):
    """What is wrong with one operation: in which of its members, and why."""

    def __init__(self, kind: type[APIException], text: str, member: str = "path") -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.member = member

    def at(self, position: int) -> APIException:
        """Return the error of the operation at a position of the patch."""
        code = "invalid" if self.kind is ValidationError else self.kind.default_code
        detail: Detail = {position: {self.member: [ErrorDetail(self.text, code)]}}
        return self.kind(detail)


def conflict(text: str, member: str = "path") -> Failure:
    return Failure(PatchConflict, text, member)


def nothing_at(member: str = "path") -> Failure:
    return conflict(gettext("Nothing is at this location."), member)


def no_object(value: object) -> str:
    """Return the message for a value in the place of an object."""
    text = gettext("Invalid data. Expected a dictionary, but got {datatype}.")
    return text.format(datatype=type(value).__name__)


def refused(text: str, member: str = "path") -> Failure:
    return Failure(PatchRefused, text, member)


def invalid(text: str, member: str) -> Failure:
    return Failure(ValidationError, text, member)
