"""Windows in Django's Redis cache: a script decides and counts in one round trip.

It reads and writes the same as the cache itself: a pickled list of floats under the key of the
throttle. So ``cache.get()`` returns the times, ``cache.delete()`` admits a client again and
``cache.set()`` replaces the times, as in every other cache.
"""

from collections.abc import Callable
from itertools import chain
from struct import iter_unpack, pack, unpack

from lintel.throttling.outages import ask
from lintel.throttling.windows import AnyCache, Decision, Limits, name_in, script_of, times_of

#: The start of a pickle that only the script writes: a text that is ignored, then an open list.
HEAD = b"\x80\x02X\x06\x00\x00\x00lintel0]("
#: The end of that list.
TAIL = b"e."

#: The head is followed by times of nine bytes each: ``G``, and a big-endian float.
#: If a clock is behind, time goes on from the latest one as fast as the key's time to live ends,
#: which is the server's clock. Any other value in the cache is returned, to be parsed by the caller
#: and sent again in the script's format.
_SCRIPT = """
local key, now, cost, head, tail = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local foreign, translation = ARGV[5], ARGV[6]
local value, times = redis.call('GET', key), ''
if value and translation ~= '' and value == foreign then value = translation end
if value then
  if string.sub(value, 1, #head) ~= head then return {-1, value, ''} end
  times = string.sub(value, #head + 1, -1 - #tail)
end
local function at(position) return (struct.unpack('>d', times, position + 1)) end
local longest, length = tonumber(ARGV[#ARGV]), #times
if length > 0 and at(1) > now then
  local left = redis.call('PTTL', key)
  now = at(1) + (left < 0 and 0 or math.max(0, longest - left / 1000))
end
while length > 0 and at(length - 8) <= now - longest do length = length - 9 end
times = string.sub(times, 1, length)
local passes = 1
for limit = 7, #ARGV, 2 do
  local last = (tonumber(ARGV[limit]) - cost) * 9
  local oldest = now - tonumber(ARGV[limit + 1])
  if last < 0 or (last < length and at(last + 1) > oldest) then passes = 0 end
end
if passes == 1 then
  times = string.rep('G' .. struct.pack('>d', now), cost) .. times
  local milliseconds = math.max(1, math.ceil(longest * 1000))
  redis.call('SET', key, head .. times .. tail, 'PX', milliseconds)
end
return {passes, struct.pack('>d', now), times}
"""

#: The most retries if others set the times while they are being read.
_ATTEMPTS = 20


def count_in_redis(
    cache: AnyCache, key: str, limits: Limits, cost: int, clock: Callable[[], float]
) -> Decision:
    """Decide and count in the server. Raises the client library's errors if it is unreachable."""
    name = name_in(cache, key)
    backend = cache._cache
    script = script_of(backend._lib, _SCRIPT)
    client = backend.get_client(name, write=True)
    arguments = [float(clock()), cost, HEAD, TAIL]
    pairs = list(chain.from_iterable(limits))
    foreign = translation = b""
    for _ in range(_ATTEMPTS):
        values = [*arguments, foreign, translation, *pairs]
        result, first, times = ask(cache, script, [name], values, client=client)
        if result >= 0:
            (now,) = unpack(">d", first)
            return bool(result), now, [time for (time,) in iter_unpack(">xd", times)]
        foreign = first
        times = times_of(backend._serializer.loads(foreign))
        translation = HEAD + b"".join(b"G" + pack(">d", time) for time in times) + TAIL
    raise RuntimeError(
        f"Something sets the cache key '{key}' of a throttle again and again. Let get_cache_key() "
        "answer a key that nothing else uses."
    )
