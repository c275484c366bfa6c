"""The shape of errors as plain data: the codes, and the schemas of the bodies.

Schemas use the part of JSON Schema on which OpenAPI 3.0 and 3.1 agree; references have the form
``#/components/schemas/<name>``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lintel.settings import BOTH, PROBLEM, api_settings
from lintel.utils.mediatypes import parse_media_type

PROBLEM_MEDIA_TYPE = "application/problem+json"

#: Media types of HTML pages for people.
PAGES = ("text/html", "application/xhtml+xml")

#: Statuses whose body lists errors of single values.
VALIDATION_STATUSES = frozenset([400, 409, 422])


@dataclass(frozen=True)
class ErrorCode:
    code: str
    status: int
    meaning: str


@dataclass(frozen=True)
class ErrorBody:
    """The body of an error; ``component`` is a key of COMPONENTS, or None for HTML pages."""

    media_type: str
    component: str | None


def _at(status: int, **meanings: str) -> tuple[ErrorCode, ...]:
    return tuple(ErrorCode(code, status, meaning) for code, meaning in meanings.items())


#: Codes of whole responses: ``code`` of a problem. The first of a status is that of failures
#: outside of API views.
RESPONSE_CODES = (
    *_at(
        400,
        bad_request="Django refused the request before a view saw it.",
        idempotency_key_invalid="The Idempotency-Key is too long, empty, or no visible ASCII.",
        idempotency_key_required="The request needs an Idempotency-Key.",
        parse_error="The body cannot be read as what its content type says.",
    ),
    *_at(
        401,
        authentication_failed="The credentials are wrong.",
        invalid_token="The access token is damaged, expired, or meant for another service.",  # noqa: S106  a code
        not_authenticated="Credentials are needed, and there are none.",
        token_expired="The token has expired.",  # noqa: S106  a code
    ),
    *_at(
        403,
        permission_denied="The user is known and may not do this.",
        insufficient_scope="The access token lacks a scope that the operation needs.",
        csrf_cookie_missing="A session must send the CSRF cookie with a request that writes.",
        csrf_token_missing="The CSRF token is missing.",  # noqa: S106  a code
        csrf_token_incorrect="The CSRF token is another one.",  # noqa: S106  a code
        csrf_origin="The page that sends the request is of another origin.",
        csrf_referer="The Referer of the request is missing, or of another site.",
    ),
    *_at(404, not_found="Nothing is here, or nothing that the user may see."),
    *_at(405, method_not_allowed="The address does not answer this method."),
    *_at(406, not_acceptable="There is no form of the answer that the Accept header allows."),
    *_at(
        409,
        idempotency_key_in_use="A request with this Idempotency-Key is under way.",
        patch_conflict="The object is not as the patch expects: a place is missing, a test fails.",
    ),
    *_at(411, length_required="The body has no length, and the server does not say where it ends."),
    *_at(412, precondition_failed="The object has changed since it was read."),
    *_at(415, unsupported_media_type="The content type of the body is not read here."),
    *_at(
        422,
        idempotency_key_reused="The Idempotency-Key came with another body before.",
        patch_refused="The patch changes what may not be changed.",
    ),
    *_at(428, precondition_required="The request needs If-Match with the ETag of the object."),
    *_at(429, throttled="Too many requests; Retry-After says when to come back."),
    *_at(500, error="The server failed."),
    *_at(
        503,
        service_unavailable="A database or a cache is away; Retry-After says when to retry.",
        keys_unavailable="Tokens cannot be checked, because the issuer's keys cannot be fetched.",
    ),
)

#: Codes of single values: ``code`` of an entry of ``errors``.
VALUE_CODES = (
    *_at(
        400,
        required="A value is missing.",
        null="The value may not be null.",
        blank="The text may not be empty.",
        empty="The list, mapping or file may not be empty.",
        invalid="The value has the wrong type or form; of a response: some input breaks a rule.",
        unknown="The key is none that is asked for.",
        unknown_field="The response has no such field, or it may not be chosen.",
        read_only="The value may not be changed.",
        min_length="The text or list is too short.",
        max_length="The text, list or file name is too long.",
        min_value="The number or duration is too small.",
        max_value="The number or duration is too big.",
        max_string_length="The text of a number is too long to be read.",
        max_digits="The number has too many digits.",
        max_decimal_places="The number has too many digits after the point.",
        max_whole_digits="The number has too many digits before the point.",
        overflow="The value is out of the range that can be stored.",
        date="A moment was given where a date is wanted.",
        datetime="A date was given where a moment is wanted.",
        make_aware="The moment does not exist, or exists twice, in the time zone.",
        invalid_choice="The value is none of the choices.",
        not_a_list="A list is wanted.",
        not_a_dict="A mapping is wanted.",
        invalid_image="The file is not an image, or is damaged.",
        no_name="The file has no name.",
        invalid_unicode="The text has characters that a slug may not have.",
        does_not_exist="There is no such object.",
        incorrect_type="The key of a related object has the wrong type.",
        no_match="The address of a related object is not one of this service.",
        incorrect_match="The address leads to an object of another kind.",
        unique="The value, or a set of values together, exists already.",
        null_characters_not_allowed="The text has a null character.",
        surrogate_characters_not_allowed="The text has half of a surrogate pair.",
        authorization="The user name and password do not match, or one is missing.",
        unknown_query_parameter="Nothing here reads this query parameter.",
        too_many_terms="The search has too many terms.",
        term_too_long="A term of the search is too long.",
        invalid_regex="The regular expression cannot be read.",
        regex_too_long="The regular expression is too long.",
        regex_too_complex="The regular expression would take too long.",
    ),
    *_at(409, protected="Other objects refer to this one, so it cannot be deleted."),
)

CODES: tuple[ErrorCode, ...] = (*RESPONSE_CODES, *VALUE_CODES)

_TEXT: Mapping[str, object] = {"type": "string"}
_PROBLEM_MEMBERS: Mapping[str, object] = {
    "type": {"type": "string", "format": "uri-reference", "description": "Names the problem."},
    "title": {"type": "string", "description": "The problem in a few words."},
    "status": {"type": "integer", "minimum": 400, "maximum": 599},
    "detail": {"type": "string", "description": "What was wrong this time."},
    "instance": {"type": "string", "format": "uri-reference", "description": "Where it was."},
    "code": {"type": "string", "description": "Names the problem, for programs."},
    "errors": {"type": "array", "items": {"$ref": "#/components/schemas/ProblemError"}},
    "errors_left_out": {
        "type": "integer",
        "description": "How many errors were found beyond those of the list.",
    },
}

#: Schemas of all error bodies, and what they refer to.
COMPONENTS: Mapping[str, Mapping[str, object]] = {
    "Error": {"type": "object", "properties": {"detail": _TEXT}, "required": ["detail"]},
    "ValidationErrors": {
        "description": "Messages by field, in the shape of the input; or a list of messages.",
        "oneOf": [{"type": "object", "additionalProperties": {}}, {"type": "array", "items": {}}],
    },
    "Problem": {
        "type": "object",
        "description": "Problem details (RFC 9457); `errors` where they are about single values.",
        "properties": _PROBLEM_MEMBERS,
        "required": ["type", "title", "status", "code"],
    },
    "ProblemError": {
        "type": "object",
        "description": "What is wrong with one value of the request.",
        "properties": {
            "pointer": {
                "type": "string",
                "format": "json-pointer",
                "description": "Where in the body the value is (RFC 6901).",
            },
            "parameter": {
                "type": "string",
                "description": "The parameter of the query, path or headers.",
            },
            "code": _TEXT,
            "detail": _TEXT,
        },
        "required": ["code", "detail"],
    },
}


def is_page(media_type: str | None) -> bool:
    return parse_media_type(media_type).full_type in PAGES


def is_json(media_type: str | None) -> bool:
    parsed = parse_media_type(media_type)
    return parsed.full_type == "application/json" or parsed.sub_type.endswith("+json")


def error_components() -> tuple[str, ...]:
    """Return the keys of COMPONENTS that describe errors under the current ERROR_FORMAT."""
    plain, problems = ("Error", "ValidationErrors"), ("Problem", "ProblemError")
    chosen = {PROBLEM: problems, BOTH: (*plain, *problems)}
    return chosen.get(api_settings.ERROR_FORMAT, plain)


def error_bodies(validates: bool, media_types: Iterable[str]) -> tuple[ErrorBody, ...]:
    """Return the bodies of one status; ``validates``: whether validation errors are among them."""
    component = "ValidationErrors" if validates else "Error"
    result = [body for media_type in media_types for body in _bodies(media_type, component)]
    return tuple({body.media_type: body for body in reversed(result)}.values())[::-1]


def _bodies(media_type: str, component: str) -> Iterator[ErrorBody]:
    chosen = api_settings.ERROR_FORMAT
    if is_page(media_type):
        yield ErrorBody(media_type, None)
        return
    if chosen != PROBLEM:
        yield ErrorBody(media_type, component)
    if chosen == PROBLEM or (chosen == BOTH and is_json(media_type)):
        yield ErrorBody(PROBLEM_MEDIA_TYPE if is_json(media_type) else media_type, "Problem")
