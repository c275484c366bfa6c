"""When a token ends: by its dates, by disuse, by its owner, or because its key was used twice.

``last_used`` is written at most once a minute, after the transaction of the request, and by one of
the requests that come at a time: nobody waits for the row of a token.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import DatabaseError, connections, router, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from lintel.annotations import Instance

logger = logging.getLogger(__name__)

#: How exactly the last use is known. Disuse is counted from its latest possible moment.
USE_INTERVAL = timedelta(minutes=1)

#: How many rows are read or deleted at once.
BATCH = 500


def has_expired(token: Instance, now: datetime) -> bool:
    """Whether a token has passed its last moment, or was not used for too long."""
    expires, idle = getattr(token, "expires", None), getattr(token, "idle_seconds", None)
    if expires is not None and expires <= now:
        return True
    if idle is None:
        return False
    used: datetime = token.last_used or token.created
    return (now - used - USE_INTERVAL).total_seconds() >= idle


def is_withdrawn(token: Instance) -> bool:
    """Whether a token was revoked, or its key replaced by another."""
    ends = (getattr(token, name, None) for name in ("revoked", "replaced"))
    return any(end is not None for end in ends)


def stop_family(token: Instance, grace: float) -> None:
    """Revoke all keys that came from one another, because a replaced one came again.

    Somebody has kept it, and nobody knows who of the two is the owner. Not within ``grace`` seconds
    of its replacement, when it may come from another process of the owner.
    """
    replaced = getattr(token, "replaced", None)
    if replaced is None or token.family is None:
        return
    if (timezone.now() - replaced).total_seconds() <= grace:
        return
    alias = router.db_for_write(type(token), instance=token)
    live = type(token)._default_manager.using(alias).filter(family=token.family, revoked=None)
    if outside_transaction(partial(_revoke, live), alias):
        logger.warning(
            "A replaced key of user %s was used again: all keys that come from it are revoked.",
            token.user_id,
        )


def _revoke(live: QuerySet[Any]) -> int:
    """Revoke tokens until none is left: one may be replaced at this moment.

    Its replacement appears when the transaction ends that this waits for, after it has looked.
    """
    stopped = changed = int(live.update(revoked=timezone.now()))
    while changed:
        changed = live.update(revoked=timezone.now())
    return stopped


def outside_transaction(write: Callable[[], int], alias: str) -> int:
    """Do a write that stays if the request, which fails, is rolled back."""
    connection = connections[alias]
    if not (connection.in_atomic_block and connection.settings_dict["ATOMIC_REQUESTS"]):
        return write()
    results: list[int] = []

    def work() -> None:
        try:
            results.append(write())
        finally:
            connections[alias].close()

    thread = threading.Thread(target=work, name="lintel-tokens")
    thread.start()
    thread.join()
    return results[0] if results else 0


def note_use(token: Instance) -> None:
    """Let ``last_used`` be written, if a minute has passed since, when the transaction is over."""
    now = timezone.now()
    last: datetime | None = getattr(token, "last_used", now)
    if last is None or last + USE_INTERVAL <= now:
        alias = router.db_for_write(type(token), instance=token)
        write = partial(_write_use, type(token), token.pk, now, alias)
        transaction.on_commit(write, using=alias, robust=True)


def _write_use(model: Any, key: object, now: datetime, alias: str) -> None:
    stale = Q(last_used=None) | Q(last_used__lte=now - USE_INTERVAL)
    tokens = model._default_manager.using(alias).filter(stale, pk=key)
    try:
        if not connections[alias].features.has_select_for_update_skip_locked:
            tokens.update(last_used=now)
            return
        with transaction.atomic(using=alias):
            if tokens.select_for_update(skip_locked=True, of=("self",)).values("pk").first():
                model._default_manager.using(alias).filter(pk=key).update(last_used=now)
    except DatabaseError as error:
        # A request that may read must not fail because this cannot be written.
        logger.warning("The last use of a token cannot be written: %s", error)


def delete_ended(model: Any, moment: datetime, alias: str) -> int:
    """Delete the tokens that ended before a moment; return how many."""
    tokens = model._default_manager.using(alias)
    ends = Q(expires__lt=moment) | Q(revoked__lt=moment) | Q(replaced__lt=moment)
    deleted: int = tokens.filter(ends).delete()[0]
    limited = tokens.filter(idle_seconds__isnull=False).iterator(chunk_size=BATCH)
    unused = [token.pk for token in limited if has_expired(token, moment)]
    for start in range(0, len(unused), BATCH):
        deleted += tokens.filter(pk__in=unused[start : start + BATCH]).delete()[0]
    return deleted
