"""The compiler: serializers described once as plain data, and run as generated functions.

``plan`` is the description; ``reading``, ``writing`` and ``fetching`` turn it into Python text,
which :mod:`lintel.trust` turns into functions.
"""
