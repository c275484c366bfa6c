"""An API's operations as tools for agents (Model Context Protocol), called through a client.

Everything except ``server``, which alone imports the SDK, works without it. What tools are is
written in ``lintel_document.agents``.
"""
