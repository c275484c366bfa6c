"""Who may read what is guarded, and how often; used where a framework leaves this to its users."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

TOKEN = "0123456789abcdef0123456789abcdef01234567"


@dataclass(frozen=True, slots=True)
class Account:
    """A user in memory, so that only the framework's work is measured."""

    pk: int
    is_active: bool = True


ACCOUNTS = {f"Token {TOKEN}": Account(1)}


@dataclass(slots=True)
class Window:
    """Counts requests by key in windows of a minute."""

    most: int
    seconds: int = 60
    counted: dict[tuple[int, int], int] = field(default_factory=dict)

    def admits(self, key: int) -> bool:
        """Count a request; return whether it is within the limit."""
        place = (key, int(time.time()) // self.seconds)
        if place not in self.counted:
            self.counted.clear()
        count = self.counted[place] = self.counted.get(place, 0) + 1
        return count <= self.most


WINDOW = Window(most=100_000_000)
