"""An API's operations as tools for agents (Model Context Protocol).

Everything except ``server``, which alone imports the SDK, works without it.
"""
