"""``make production``: the stack until Ctrl-C; a part that ends meanwhile is started again."""

from __future__ import annotations

import os
import signal
import sys
import threading

from production.stack import PASSWORD, SERVERS, Options, Stack, missing_programs, running

POLL_SECONDS = 0.5

TEXT = """
{url}  (nginx, with a certificate of its own: {certificate})
server {server}, {processes} processes on each of {hosts}, PgBouncer to PostgreSQL, Redis
user ada, password {password}; logs in {folder}/logs; Ctrl-C stops everything and removes it

  curl --cacert {certificate} {url}/rides/stations/
  curl --cacert {certificate} {url}/health/ready/
  curl --cacert {certificate} -u ada:{password} {url}/receipts/
"""


def chosen() -> Options:
    """The options of the environment. Raises SystemExit for a server that is none."""
    server = os.environ.get("SERVER") or "lintel"
    if server not in SERVERS:
        sys.exit(f"SERVER={server}: choose one of {', '.join(SERVERS)}")
    return Options(
        hosts=int(os.environ.get("HOSTS") or 1),
        processes=int(os.environ.get("PROCESSES") or 2),
        server=server,
        port=int(os.environ.get("PORT") or 8443),
    )


def description(stack: Stack) -> str:
    options = stack.options
    where = "1 host"
    if options.hosts > 1:
        apart = all(host.holder for host in stack.hosts)
        kind = "network namespaces" if apart else "folders; the kernel allows no namespaces"
        where = f"{options.hosts} hosts ({kind})"
    return TEXT.format(
        url=stack.url,
        certificate=stack.certificate,
        server=options.server,
        processes=options.processes,
        hosts=where,
        password=PASSWORD,
        folder=stack.folder,
    )


def supervise(stack: Stack, stopped: threading.Event) -> None:
    """Start again what ends, until it is stopped."""
    while not stopped.wait(POLL_SECONDS):
        for part in stack.parts.values():
            if not part.runs:
                print(f"{part.name} has ended: started again", flush=True)
                part.begin()


def main() -> None:
    told = missing_programs()
    if told:
        sys.exit(told)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with running(chosen()) as stack:
        print(description(stack), flush=True)
        supervise(stack, stopped)
        print("stopping", flush=True)


if __name__ == "__main__":
    main()
