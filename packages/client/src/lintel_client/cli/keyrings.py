"""Secrets in the keyring of the system. The only module that imports keyring."""

from collections.abc import Callable
from typing import Any

import keyring
from keyring.errors import KeyringError

from lintel_client.cli.failures import Failure

__all__ = ["SERVICE", "forget", "keep", "secret"]

SERVICE = "lintel"


def secret(name: str) -> str:
    """Return a secret of the keyring. Raises Failure if there is none, or no keyring."""
    found = _asked(keyring.get_password, SERVICE, name)
    if found is None:
        raise Failure(f"The keyring holds no secret for {name}; run: lintel credentials add")
    return str(found)


def keep(name: str, value: str) -> None:
    """Put a secret into the keyring. Raises Failure if there is no keyring."""
    _asked(keyring.set_password, SERVICE, name, value)


def forget(name: str) -> None:
    """Remove a secret from the keyring, if it is there."""
    if _asked(keyring.get_password, SERVICE, name) is not None:
        _asked(keyring.delete_password, SERVICE, name)


def _asked(question: Callable[..., Any], *values: str) -> Any:
    try:
        return question(*values)
    except KeyringError as error:
        raise Failure(f"The keyring of this system cannot be used: {error}") from error
