"""One small service in many frameworks: the same addresses, bodies and refusals, on PostgreSQL."""
