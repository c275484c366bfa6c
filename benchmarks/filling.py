"""``python -m benchmarks.filling``: the tables and rows of the bookshop, in the database that the
environment names."""

from __future__ import annotations

import os

os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.project.settings"
os.environ["BENCHMARK_URLS"] = "benchmarks.project.bookshop.by_hand"


def main() -> None:
    """Make the tables, the rows, and the planner's statistics."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    from benchmarks.project.models import load, load_books
    from benchmarks.workloads import ARTICLES, BOOKS

    call_command("migrate", run_syncdb=True, verbosity=0)
    load(ARTICLES)
    load_books(BOOKS)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


if __name__ == "__main__":
    main()
