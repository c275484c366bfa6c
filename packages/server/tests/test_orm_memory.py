"""What is kept stays within bounds, and what is used stays longest."""

from typing import Any

from lintel.trust import store


def test_what_was_used_last_stays_longest(monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 16)
    kept: dict[int, int] = {}
    for number in range(100):
        store.keep(kept, number, number)
        assert store.recall(kept, 0) == 0
    assert len(kept) <= 16
    assert store.recall(kept, 99) == 99
    assert store.recall(kept, 1) is None
