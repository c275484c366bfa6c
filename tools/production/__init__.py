"""The example service as it would run: nginx, granian, PgBouncer, PostgreSQL, Redis, workers.

``make production`` runs it until Ctrl-C. The other targets (``reloads``, ``faults``, ``load``,
``soak``) and the tests run the same stack and do things to it. All of it listens on loopback or on
sockets in its own folder, which is removed at the end.
"""
