"""What may stand between Django and PostgreSQL: poolers, binding on the server, schemas, roles.

``LINTEL_DATABASE_STATE`` names one, and all tests of a PostgreSQL database run in it; ``make
test-matrix`` runs them in each.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from os import environ
from pathlib import Path
from typing import Any

import psycopg
from servers import PostgreSQL, folder_of, owner_of, running
from services import program

Settings = dict[str, Any]
State = Callable[[PostgreSQL], AbstractContextManager[Settings]]

ROLE = "lintel_application"
PORT = "6432"

#: Every new table has a rule for rows, which this role cannot pass by: it owns the tables.
RULES = """
CREATE FUNCTION rule_rows() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record;
BEGIN
  FOR made IN SELECT objid::regclass AS name FROM pg_event_trigger_ddl_commands()
  WHERE object_type = 'table' AND schema_name = 'public' LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', made.name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', made.name);
    EXECUTE format('CREATE POLICY own ON %s USING (current_user = %L)', made.name,
                   'lintel_application');
  END LOOP;
END $$;
CREATE EVENT TRIGGER rule_rows ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
EXECUTE FUNCTION rule_rows();
"""


@contextmanager
def direct(server: PostgreSQL) -> Iterator[Settings]:
    yield server.settings


@contextmanager
def pooled_by_psycopg(server: PostgreSQL) -> Iterator[Settings]:
    yield {**server.settings, "OPTIONS": {"pool": {"min_size": 1, "max_size": 8}}}


@contextmanager
def bound_on_the_server(server: PostgreSQL) -> Iterator[Settings]:
    yield {**server.settings, "OPTIONS": {"server_side_binding": True}}


@contextmanager
def in_a_schema(server: PostgreSQL) -> Iterator[Settings]:
    """The tables of a tenant, in a schema of its own; extensions are in ``public``."""
    with server.connect() as connection:
        connection.execute("CREATE SCHEMA tenant")
    yield {**server.settings, "OPTIONS": {"options": "-c search_path=tenant,public"}}


@contextmanager
def under_row_security(server: PostgreSQL) -> Iterator[Settings]:
    """A role without privileges, and rules for the rows of each table that it makes."""
    with server.connect() as connection:
        connection.execute(f"CREATE ROLE {ROLE} LOGIN")
        connection.execute(f"GRANT ALL ON SCHEMA public TO {ROLE}")
        connection.execute(RULES)
    yield {**server.settings, "USER": ROLE}


def pgbouncer(mode: str) -> State:
    """PgBouncer between Django and the server, which keeps nothing of a session."""

    @contextmanager
    def state(server: PostgreSQL) -> Iterator[Settings]:
        with folder_of("pgbouncer") as folder:
            owner = owner_of(folder)
            configuration = folder / "pgbouncer.ini"
            configuration.write_text(configured(mode, server, folder))
            users = folder / "users.txt"
            users.write_text(f'"{server.user}" ""\n')
            settings = {**server.settings, "HOST": str(folder), "PORT": PORT}
            command = [program("pgbouncer"), configuration]

            def is_ready() -> bool:
                address = {"host": str(folder), "port": PORT, "user": server.user}
                opened = psycopg.connect(**address, dbname="postgres", autocommit=True)
                with opened as connection:
                    return bool(connection.execute("SELECT 1").fetchone())

            with running(command, folder, is_ready, psycopg.OperationalError, owner):
                yield {**settings, "DISABLE_SERVER_SIDE_CURSORS": True}

    return state


def configured(mode: str, server: PostgreSQL, folder: Path) -> str:
    lines = {
        "listen_addr": "",
        "listen_port": PORT,
        "unix_socket_dir": folder,
        "auth_type": "any",
        "pool_mode": mode,
        "default_pool_size": 8,
        "max_client_conn": 200,
        "ignore_startup_parameters": "extra_float_digits",
    }
    options = "\n".join(f"{name} = {value}" for name, value in lines.items())
    target = f"postgres = host={server.folder} dbname=postgres user={server.user}"
    return f"[databases]\n{target}\n[pgbouncer]\n{options}\n"


STATES: dict[str, State] = {
    "direct": direct,
    "pgbouncer-transaction": pgbouncer("transaction"),
    "pgbouncer-statement": pgbouncer("statement"),
    "pool": pooled_by_psycopg,
    "server-side-binding": bound_on_the_server,
    "schema": in_a_schema,
    "row-security": under_row_security,
}


def reached(server: PostgreSQL) -> AbstractContextManager[Settings]:
    """The settings with which Django reaches a server, in the state that the environment names."""
    return STATES[environ.get("LINTEL_DATABASE_STATE", "direct")](server)
