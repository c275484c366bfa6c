"""The comparison of descriptions of ``lintel_contract``, which django-lintel[test] brings."""

try:
    from lintel_contract import *  # noqa: F403 -- the same module under a second name
    from lintel_contract import __all__ as __all__
except ImportError as error:
    raise ImportError(
        "lintel.schemadiff needs lintel-contract: install django-lintel[test]"
    ) from error
