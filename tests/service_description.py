"""The OpenAPI document of the example service, in any version.

As a script it prints the document: the service has its own settings, so it needs a separate
process.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from service_process import SERVICE, environment

VERSIONS = ("3.0.3", "3.1", "3.2")


@cache
def description(version: str) -> str:
    """The document as JSON text."""
    run = subprocess.run(
        [sys.executable, "-W", "error", __file__, version],
        env=environment(Path("/nonexistent/service.sqlite3")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def main(version: str) -> None:
    """Print the document. Warnings of the description are errors."""
    sys.path.insert(0, str(SERVICE))
    import django
    from django.conf import settings
    from django.test import override_settings

    django.setup()
    from lintel.schemas.openapi import SchemaGenerator

    wanted: dict[str, Any] = {
        **settings.REST_FRAMEWORK,
        "OPENAPI_VERSION": version,
        "DEFAULT_SCHEMA_CLASS": "lintel.schemas.openapi.AutoSchema",
    }
    with override_settings(REST_FRAMEWORK=wanted):
        generator = SchemaGenerator(title="Snippets", version="1", urlconf="snippets.urls")
        document = generator.get_schema(public=True)
    print(json.dumps(document, default=str))


if __name__ == "__main__":
    main(sys.argv[1])
