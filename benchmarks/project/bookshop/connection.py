"""Where the PostgreSQL database is, for contenders that do not read Django's settings."""

import os

FOLDER, USER = os.environ["BENCHMARK_POSTGRESQL"].split(",")
NAME = os.environ["BENCHMARK_DATABASE"]
POOL = int(os.environ["BENCHMARK_POOL"])
