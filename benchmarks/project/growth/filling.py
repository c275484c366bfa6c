"""``python -m benchmarks.project.growth.filling``: the wide table, in the database that the
environment names."""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
os.environ["BENCHMARK_URLS"] = "benchmarks.project.growth.by_hand"


def main() -> None:
    """Make the table, its rows, and the planner's statistics."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    from benchmarks.project.growth import models

    call_command("migrate", run_syncdb=True, verbosity=0)
    models.load()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


if __name__ == "__main__":
    main()
