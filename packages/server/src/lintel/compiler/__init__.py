"""The compiler: serializers described once as plain data, run many times as generated functions.

``plan`` is the description, ``reading``, ``writing`` and ``fetching`` turn it into Python text,
``source`` makes that text a function which tracebacks and ``inspect.getsource`` can show.
"""
