"""What ``manage.py demo`` keeps between starts: the password and the signing key."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Credentials:
    """The password of all sample users, and Django's SECRET_KEY."""

    password: str
    secret_key: str


def read(path: Path) -> Credentials | None:
    """Return the credentials in a file; None if there is no file."""
    if not path.exists():
        return None
    return Credentials(**json.loads(path.read_text()))


def make(path: Path) -> Credentials:
    """Create credentials, in a file that only its owner can read (mode 0600)."""
    made = Credentials(secrets.token_urlsafe(12), secrets.token_urlsafe(48))
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(made), file)
    return made
