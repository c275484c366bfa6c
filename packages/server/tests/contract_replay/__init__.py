"""Replays the recorded interface facts of `tests/contract` against a package.

`python -m contract_replay --summary`, run from the tests directory, measures any package that has
the interface; the test modules `test_contract_*.py` run the same cases one test each.
"""
