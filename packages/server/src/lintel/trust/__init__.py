"""Whether kept things still hold: what generated functions and statements were made from.

``warrants`` generates tests of everything that other code was derived from, ``source`` turns text
into functions that tracebacks and ``inspect.getsource`` can show, ``store`` bounds what is kept,
and ``originals`` says whether Django's insides are known and still its own.
"""
