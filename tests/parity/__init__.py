"""Calls made with the Python client, the command line and the JavaScript client, and compared."""
