"""Limits of thousands, without a time for each request: the level of a leaky bucket per limit.

The decisions are those of the Generic Cell Rate Algorithm (ITU-T I.371): a client that was away may
send the whole number at once, and then one more request each time a part of the period has passed.
Stored are a time and the levels then, under a key of their own, so that changing the setting
never makes one kind of count be read as the other.
"""

import math
from collections.abc import Callable, Sequence
from itertools import chain
from struct import iter_unpack
from typing import Any

from lintel.throttling.caches import counter_for, is_in_memory
from lintel.throttling.locks import client_lock
from lintel.throttling.outages import ask
from lintel.throttling.redis_windows import HEAD, TAIL, count_in_redis
from lintel.throttling.windows import AnyCache, Limits, name_in, script_of

#: Whether a client passes, the time of the decision, and the level of each limit then.
Poured = tuple[bool, float, list[float]]

#: Levels are sums of fractions; this much more than full is rounding.
_ROUNDING = 1e-6

_SCRIPT = """
local key, now, cost, head, tail = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local value, held = redis.call('GET', key), {}
if value and string.sub(value, 1, #head) == head then
  for position = #head + 1, #value - #tail, 9 do
    held[#held + 1] = struct.unpack('>d', value, position + 1)
  end
end
if #held ~= (#ARGV - 4) / 2 + 1 then held = {now} end
if held[1] > now then
  -- This clock is behind: what has passed is what has passed of the time to live.
  local left, full = redis.call('PTTL', key), 0
  for at = 5, #ARGV, 2 do
    local number, period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    if number > 0 then full = math.max(full, held[(at - 1) / 2] * period / number) end
  end
  now = held[1] + (left < 0 and 0 or math.max(0, full - left / 1000))
end
local passes, seconds, levels = 1, 0, {}
for at = 5, #ARGV, 2 do
  local number, period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local level = math.max(0, (held[(at - 1) / 2] or 0) - (now - held[1]) * number / period)
  if level + cost > number + 1e-6 then passes = 0 end
  levels[#levels + 1] = level
end
local packed = 'G' .. struct.pack('>d', now)
for at, level in ipairs(levels) do
  if passes == 1 then level = level + cost end
  packed = packed .. 'G' .. struct.pack('>d', level)
  local number, period = tonumber(ARGV[at * 2 + 3]), tonumber(ARGV[at * 2 + 4])
  if number > 0 then seconds = math.max(seconds, level * period / number) end
end
if passes == 1 then
  redis.call('SET', key, head .. packed .. tail, 'PX', math.max(1, math.ceil(seconds * 1000)))
end
return {passes, packed}
"""


def pour(
    cache: AnyCache, key: str, limits: Limits, cost: int, clock: Callable[[], float]
) -> Poured | None:
    """Decide and count in one step; None if the lock of the client could not be acquired."""
    key = f"{key}_bucket"
    if counter_for(cache) is count_in_redis:
        return _pour_in_redis(cache, key, limits, cost, clock)
    with client_lock(cache, key) as lease:
        if lease is None:
            return None
        held, now = ask(cache, cache.get, key), clock()
        if is_in_memory(cache) and _is_behind(now, held, limits):
            # Refusals store nothing, and other caches forget by clocks of their own.
            held = [now, *held[1:]]
            cache.set(key, held, _seconds_to_empty(held[1:], limits))
        poured = _decide(held, limits, cost, now)
        passes, now, levels = poured
        if passes and not lease.holds():
            return None
        if passes:
            ask(cache, cache.set, key, [now, *levels], _seconds_to_empty(levels, limits))
        return poured


def _pour_in_redis(
    cache: AnyCache, key: str, limits: Limits, cost: int, clock: Callable[[], float]
) -> Poured:
    backend = cache._cache
    name = name_in(cache, key)
    client = backend.get_client(name, write=True)
    values = [float(clock()), cost, HEAD, TAIL, *chain.from_iterable(limits)]
    passes, packed = ask(cache, script_of(backend._lib, _SCRIPT), [name], values, client=client)
    now, *levels = (number for (number,) in iter_unpack(">xd", packed))
    return bool(passes), now, levels


def _is_behind(now: float, held: object, limits: Limits) -> bool:
    """Whether the clock was set back: no level would leak until it is where it was."""
    if not isinstance(held, list) or len(held) != len(limits) + 1:
        return False
    return bool(held[0] > now)


def _decide(held: object, limits: Limits, cost: int, now: float) -> Poured:
    is_known = isinstance(held, list | tuple) and len(held) == len(limits) + 1
    state: Any = held if is_known else (now, *(0.0 for _ in limits))
    then, *before = state
    now = max(now, then)
    levels = [
        max(0.0, level - (now - then) * number / seconds)
        for level, (number, seconds) in zip(before, limits, strict=True)
    ]
    passes = all(
        level + cost <= number + _ROUNDING
        for level, (number, _) in zip(levels, limits, strict=True)
    )
    return passes, now, [level + cost * passes for level in levels]


def _seconds_to_empty(levels: Sequence[float], limits: Limits) -> int:
    """After how many seconds nothing has to be remembered."""
    pairs = zip(levels, limits, strict=True)
    return math.ceil(max(level * seconds / max(1, number) for level, (number, seconds) in pairs))


def seconds_until_room(levels: Sequence[float], limits: Limits, cost: int) -> float:
    """The seconds until a request passes; infinity for never."""
    return max(
        math.inf if cost > number else max(0.0, level + cost - number) * seconds / number
        for level, (number, seconds) in zip(levels, limits, strict=True)
    )


def left(level: float, limit: tuple[int, float]) -> tuple[int, float]:
    """How many requests remain, and the seconds until there is one more."""
    number, seconds = limit
    if not number:
        return 0, seconds
    room = max(0.0, number - level + _ROUNDING)
    remaining = math.floor(room)
    return remaining, min(1.0, remaining + 1 - room) * seconds / number
