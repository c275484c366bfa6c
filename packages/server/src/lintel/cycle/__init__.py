"""The order of a request, and how its steps run: without an event loop, and on one."""
