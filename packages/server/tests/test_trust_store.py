"""What is kept stays within bounds."""

from typing import Any

from lintel.trust import store


def test_the_oldest_go_first(monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 16)
    kept: store.Store[int, int] = store.Store()
    for number in range(100):
        kept.keep(number, number)
        assert kept[number] == number
        assert len(kept) <= 16
    assert kept.keys() == set(range(100 - len(kept), 100))
