"""What the tests of every package share: the garbage collector runs between tests, never in one.

CPython 3.10 and 3.11 may collect while a context variable is being set; a finalizer that sets one
too then frees what is in use, and the interpreter crashes (python/cpython#148891).
"""

import gc

import pytest

# Net allocations after which the objects of the last tests are looked through, and how many such
# looks pass between two looks through everything.
SOME = 20_000
LOOKS = 50


def pytest_sessionstart() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave the imported modules and the collected tests out of every later look."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Collect as part of the test, so that a warning of a finalizer fails the test that left it."""
    gc.disable()  # a test may have switched it on
    objects, _, looks = gc.get_count()
    if looks > LOOKS:
        gc.collect()
    elif objects > SOME:
        gc.collect(1)


def pytest_unconfigure() -> None:
    gc.unfreeze()
    gc.enable()
