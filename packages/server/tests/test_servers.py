"""The servers that tests start are real, reachable, and stopped afterwards."""

import sqlite3

import psycopg
import pytest
import redis
from django.db import connections
from servers import Redis, Router, everything_in, running_postgresql, running_redis


def test_redis_answers_and_ends() -> None:
    with running_redis() as server, redis.Redis.from_url(server.address) as client:
        client.set("key", "value")
        assert client.get("key") == b"value"
    with redis.Redis.from_url(server.address) as client, pytest.raises(redis.ConnectionError):
        client.ping()


def test_postgresql_ends_with_connections_open() -> None:
    with running_postgresql() as server:
        connection = server.connect()
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connection.close()
    assert not server.folder.exists()


def test_databases_have_tables(postgresql: str, sqlite_file: str, django_db_blocker) -> None:
    for alias in (postgresql, sqlite_file):
        with everything_in(alias, django_db_blocker):
            tables = connections[alias].introspection.table_names()
        assert "contract_project_entry" in tables


def test_one_redis_serves_all_tests(redis_server: Redis) -> None:
    with redis.Redis.from_url(redis_server.address) as client:
        assert client.ping()


def test_router_knows_one_database() -> None:
    router = Router("elsewhere")
    assert router.db_for_read(sqlite3) == router.db_for_write(sqlite3) == "elsewhere"
