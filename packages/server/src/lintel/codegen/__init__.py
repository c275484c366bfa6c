"""Generated functions: Python text as a function, and guards that tell whether it still holds.

``source`` turns text into functions that tracebacks and ``inspect.getsource`` can show; ``guards``
generates tests of everything that other code was derived from.
"""
