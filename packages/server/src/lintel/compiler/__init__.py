"""The compiler: serializers described once as plain data, and run as generated functions.

``plan`` is the description; ``reading``, ``writing`` and ``fetching`` turn it into Python text;
``source`` turns the text into functions that tracebacks and ``inspect.getsource`` can show.
"""
