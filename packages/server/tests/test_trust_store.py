"""What is kept stays within bounds, and what is used stays longest."""

from typing import Any

from lintel.trust import store


def test_what_was_used_last_stays_longest(monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 16)
    kept: store.Store[int, int] = store.Store()
    for number in range(100):
        kept.keep(number, number)
        assert kept.recall(0, None) == 0
    assert len(kept) <= 16
    assert kept.recall(99, None) == 99
    assert kept.recall(1, None) is None
