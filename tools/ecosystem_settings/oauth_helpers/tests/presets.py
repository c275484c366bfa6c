"""Settings of django-oauth-toolkit that its suite uses."""

NAMES = ("read", "write", "scope1", "scope2", "another", "resource1", "create", "update", "put")

REST_FRAMEWORK_SCOPES = {
    "SCOPES": {name: name.capitalize() for name in NAMES},
    "DEFAULT_SCOPES": ["read", "write"],
    "READ_SCOPE": "read",
    "WRITE_SCOPE": "write",
}
