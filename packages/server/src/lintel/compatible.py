"""Earlier versions of the interface: what the setting ``COMPATIBLE_WITH`` brings back.

:data:`CHANGES` lists each visible change since 3.14. The documentation and ``lintel doctor`` show
it, and :func:`keeps` is asked where the behaviour lives: while serializers are compiled, in errors,
and where settings are read.
"""

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from lintel.settings import COMPATIBLE_VERSIONS, api_settings


def is_older(version: str, other: str) -> bool:
    """Return whether one of COMPATIBLE_VERSIONS comes before another."""
    return COMPATIBLE_VERSIONS.index(version) < COMPATIBLE_VERSIONS.index(other)


@dataclass(frozen=True, slots=True)
class Change:
    """A visible change: the version it came with, what was so before, and what is so since.

    ``stays``: why ``COMPATIBLE_WITH`` does not bring it back; empty if it does.
    """

    since: str
    before: str
    after: str
    stays: str = ""


#: Reasons.
_FAILED = "it was a failure of the server"
_LOST = "input was lost"
_UNSAFE = "it let more through than it should"
_MORE = "only refused input is accepted now"

#: By version and name: what was so before, what is so since, and why it stays.
_SINCE: dict[str, dict[str, tuple[str, ...]]] = {
    "3.18": {
        "list-errors": (
            "errors of a list are a list, with `{}` for each valid item",
            "an object, by the positions of the invalid items",
        ),
        "read-only-choices": (
            "a column with choices that is not editable is a plain read-only field",
            "a read-only ChoiceField",
        ),
        "blank-unique-fields": (
            "text with `blank=True` in a rule of uniqueness is required",
            'it may be left out, and is `""` then',
        ),
        "conditions-on-other-fields": (
            "a UniqueConstraint over one field with a condition on others is checked by that "
            "field, whether or not the new values meet the condition",
            "it is checked with all values, and its fields are required",
        ),
        "address-errors": (
            "an invalid address for a column of one protocol has two messages",
            "one message",
        ),
        "empty-form-dictionaries": (
            "a DictField that a form leaves out is `{}`",
            "it counts as left out",
        ),
        "form-dictionaries": (
            "values `name.key` of a form are ignored by DictField",
            "they are read",
            _LOST,
        ),
        "partial-form-lists": ("a partial update by form ignores `name[0]`", "it is read", _LOST),
        "null-duplicates": (
            "`nulls_distinct=False` is not checked, and the database raises",
            "a second None is an input error",
            _FAILED,
        ),
        "partial-conditions": (
            "an update of only the fields of a condition is not checked, and the database raises",
            "it is checked",
            _FAILED,
        ),
        "odd-floats": (
            "FloatField takes `nan` and `inf`, which JSON cannot hold",
            "an input error",
            _FAILED,
        ),
        "schema-bounds": (
            "OpenAPI leaves out bounds of 0, and int64 of negative bounds",
            "it has them",
        ),
    },
    "3.17": {
        "big-integers": (
            "a column of big integers is an IntegerField: `A valid integer is required.`",
            "a BigIntegerField: `A valid biginteger is required.`",
        ),
        "multiple-choices": (
            "MultipleChoiceField validates to a set, and is written in no order",
            "a list, in the order of the input",
        ),
        "constraint-messages": (
            "`violation_error_message` and `violation_error_code` of a UniqueConstraint are "
            "ignored",
            "they are used",
        ),
        "decorators": (
            "a policy decorator above `@api_view` is silently ignored",
            "TypeError at import",
            _UNSAFE,
        ),
        "upload-limits": (
            "`DATA_UPLOAD_MAX_MEMORY_SIZE` does not limit JSON",
            "it limits every body in memory",
            _UNSAFE,
        ),
    },
    "3.16": {
        "nullable-unique-fields": (
            "a field with `null=True` in a rule of uniqueness is required",
            "it may be left out, and is None then",
        ),
        "constraint-conditions": (
            "the condition of a UniqueConstraint is applied to the stored rows alone",
            "to the new values as well; its fields get their defaults",
        ),
        "json-in-tests": (
            "a dictionary that a test sends with `content_type` of JSON is sent as `str()` "
            "writes it",
            "as JSON",
            _FAILED,
        ),
    },
    "3.15": {
        "unique-constraints": (
            "UniqueConstraint is not checked, and its fields are not required",
            "it is checked like `unique_together`",
        ),
        "parent-rules": (
            "`unique_together` of a parent model is checked among the rows of the parent",
            "among the rows of the model itself",
        ),
        "messages-of-django": (
            "`Http404` and `PermissionDenied` of Django are answered in general words: "
            "`Not found.`",
            "in their own: `No Room matches the given query.`",
        ),
        "basic-credentials": (
            "basic credentials without a colon are `Invalid username/password.`",
            "`Invalid basic header. Credentials not correctly base64 encoded.`",
        ),
        "search-terms": (
            "searches are split at spaces and commas, even inside quotes",
            "quotes hold terms together",
        ),
        "options-details": (
            "OPTIONS leaves out `max_digits` and `decimal_places`; a duration is of the "
            "type `field`",
            "has both; `duration`",
        ),
        "basenames": ("two viewsets of a router may share a basename", "ImproperlyConfigured"),
        "file-paths": ("FilePathField is always required", "it is, unless `required=False`"),
        "boolean-words": ("`tRUE` is not a boolean", "it is", _MORE),
        "enum-choices": ("members of enums as choices go by `str()`", "by their value", _MORE),
        "empty-page-number": ("`?page=` is 404", "the first page", _MORE),
        "null-in-searches": ("NUL in a search is dropped", "400", _UNSAFE),
        "model-permissions": (
            "`_ignore_model_permissions` lets anonymous users in",
            "they need to sign in",
            _UNSAFE,
        ),
        "overflows": ("numbers and durations that are too large raise", "input errors", _FAILED),
        "ordered-dictionaries": (
            "`validated_data` and `to_representation` are an OrderedDict",
            "a dict",
            "the text of responses is the same",
        ),
        "page-schemas": (
            "OpenAPI lists nothing of a page as required, and a key with `pk_field` is an integer",
            "`count` and `results` are required, and a key is what `pk_field` says",
        ),
    },
}

CHANGES: dict[str, Change] = {
    name: Change(version, *said)
    for version, changes in _SINCE.items()
    for name, said in changes.items()
}


#: For each version, the names of the changes that came after it and can be brought back.
_KEPT = {
    version: frozenset(
        name
        for name, change in CHANGES.items()
        if is_older(version, change.since) and not change.stays
    )
    for version in COMPATIBLE_VERSIONS
}


def kept_changes() -> frozenset[str]:
    """Return the changes before which the project stays. Raises ImproperlyConfigured."""
    version = api_settings.COMPATIBLE_WITH
    try:
        return _KEPT[version]
    except (KeyError, TypeError):
        listed = ", ".join(f'"{listed_version}"' for listed_version in COMPATIBLE_VERSIONS)
        message = f"COMPATIBLE_WITH is {version!r}: use one of {listed}."
        raise ImproperlyConfigured(message) from None


def keeps(name: str) -> bool:
    """Return whether the project keeps what was so before a change."""
    return name in kept_changes()
