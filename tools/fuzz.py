"""``make fuzz``: check the running example service against its description with schemathesis.

    python tools/fuzz.py [SECONDS]

Starts the service, then tests it anonymously and with a token, half of the time each (600 seconds
in all by default), stateful sequences included. The exit status is 1 if it departs.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2

REPOSITORY = Path(__file__).resolve().parents[1]
CONFIGURATION = REPOSITORY / "tools" / "schemathesis.toml"
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")


def command(document: Path, url: str, token: str | None, *options: str) -> list[str]:
    """The command that tests a service; ``options`` bound it."""
    header = [] if token is None else ["--header", f"Authorization: Token {token}"]
    return [
        *(str(SCHEMATHESIS), "--config-file", str(CONFIGURATION)),
        *("run", str(document), "--url", url.rstrip("/"), *header),
        *("--warnings", "off", "--continue-on-failure", "--suppress-health-check", "all"),
        *options,
    ]


def token_of(url: str, username: str, password: str) -> str:
    """A token of the service."""
    answer = httpx2.post(f"{url}token/", json={"username": username, "password": password})
    found: str = answer.raise_for_status().json()["token"]
    return found


def main(seconds: int) -> int:
    """Test for this many seconds; return the exit status."""
    # The helpers of the end-to-end tests start the service and describe it.
    sys.path.insert(0, str(REPOSITORY / "tests"))
    from service_description import description
    from service_process import PASSWORD, running_service

    seed = str(random.randrange(2**32))
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "openapi.json")
        document.write_text(description("3.1"))
        with running_service(Path(folder)) as service:
            for token in (None, token_of(service.url, "ada", PASSWORD)):
                bounds = ("--max-time", str(seconds // 2), "--seed", seed)
                run = subprocess.run(
                    command(document, service.url, token, *bounds), cwd=folder, check=False
                )
                status = status or run.returncode
    return status


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
