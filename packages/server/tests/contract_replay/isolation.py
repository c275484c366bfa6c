"""Isolates each case: fixture rows, an empty cache, the clock at its start, own settings."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.test.utils import override_settings
from django.utils import translation

from contract_replay import target


@contextmanager
def fresh(facts: dict[str, Any]) -> Iterator[None]:
    """Run the block under the conditions of the case `facts`, and undo everything afterwards."""
    from contract_project import clock

    cache.clear()
    clock.reset()
    with ExitStack() as stack:
        stack.enter_context(rolled_back())
        overrides = setting_overrides(facts)
        if overrides:
            stack.enter_context(override_settings(**overrides))
        if "language" in facts:
            stack.enter_context(translation.override(facts["language"]))
        yield


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo every change to the database at the end of the block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def setting_overrides(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the Django settings of a case, with its package settings merged in."""
    overrides = dict(target.current.own_names(facts.get("settings", {})))
    if "api_settings" in facts:
        key = target.current.settings_key
        own = getattr(settings, key, {})
        overrides[key] = {**own, **target.current.own_names(facts["api_settings"])}
    return overrides
