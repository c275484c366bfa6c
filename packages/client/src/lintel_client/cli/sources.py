"""Credentials from outside the file: from the environment, a command or the keyring."""

import os
import shlex
import subprocess
from typing import Any

from lintel_client.auth import basic_credentials
from lintel_client.cli.failures import Failure
from lintel_client.cli.later import later

__all__ = ["SECONDS", "credentials_of", "encoded", "shown_source"]

SECONDS = 120
"""How long a command may take; it may ask a person for a passphrase."""


def credentials_of(domain: str, stored: Any) -> str:
    """Return the value of the Authorization header that is stored, or that a source yields.

    A source is a mapping with one of ``environment``, ``command`` and ``keyring``, and optionally
    with ``scheme``, which is put before the value, or ``auth``: "basic" for a user:password to
    encode; or it has tokens of ``oauth2``, which are not renewed here. Raises Failure for a source
    that yields nothing.
    """
    if isinstance(stored, str):
        return stored
    if "oauth2" in stored:
        header: str = later("oauth2_tokens:stored_header", domain, stored)
        return header
    try:
        return encoded(_secret(domain, stored), stored.get("auth"), stored.get("scheme"))
    except ValueError as error:
        raise Failure(f"The credentials for {domain}: {error}") from error


def encoded(value: str, auth: str | None, scheme: str | None) -> str:
    """Return the value of the Authorization header for a secret. Raises ValueError for none."""
    if not value.strip():
        raise ValueError("The credentials are empty")
    if auth == "basic":
        user, colon, password = value.partition(":")
        if not colon:
            raise ValueError("Credentials for --auth basic are written user:password")
        return basic_credentials(user, password)
    return f"{scheme} {value}" if scheme else value


def shown_source(stored: dict[str, Any]) -> str:
    """Return a source as shown to people."""
    if "oauth2" in stored:
        shown: str = later("oauth2_tokens:shown", stored)
        return shown
    kinds = ("environment", "command", "keyring")
    return next((f"from {kind}: {stored[kind]}" for kind in kinds if kind in stored), "")


def _secret(domain: str, stored: dict[str, Any]) -> str:
    if "environment" in stored:
        return _from_environment(domain, str(stored["environment"]))
    if "command" in stored:
        return _from_command(domain, str(stored["command"]))
    if "keyring" in stored:
        return str(later("keyrings:secret", str(stored["keyring"])))
    raise Failure(f"The credentials for {domain} name no known source")


def _from_environment(domain: str, name: str) -> str:
    if not os.environ.get(name):
        raise Failure(f"The credentials for {domain} come from ${name}, which is not set")
    return os.environ[name]


def _from_command(domain: str, command: str) -> str:
    if not command.strip():
        raise Failure(f"The command that yields the credentials for {domain} is empty")
    try:
        done = subprocess.run(  # noqa: S603 (the user's own command, without a shell)
            shlex.split(command), stdout=subprocess.PIPE, timeout=SECONDS, check=True
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        reason = getattr(error, "strerror", None) or _without_output(error)
        raise Failure(f"The credentials for {domain} come from {command!r}: {reason}") from None
    # The first line is the secret, as in most password stores.
    return done.stdout.decode(errors="replace").partition("\n")[0].rstrip("\r")


def _without_output(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with status {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took more than {SECONDS} seconds"
    return str(error)
