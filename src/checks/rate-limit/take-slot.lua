#!lua
-- Takes one slot of a key's rate limit, or returns the time to wait (GCRA). The key holds the time at which the whole
-- quota is available again. Each request moves it one interval into the future, at most as far as the whole quota. A
-- repeat takes a second slot, which is safe and refills by itself. A refusal changes nothing, unless the stored time is
-- too far ahead.
--
-- KEYS  1 time at which the whole quota is available, Unix microseconds
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 quota in requests
--       3 window in ms in which a whole quota refills
-- reply {taken 1|0, requests left, ms until the next slot or 0, ms until the whole quota}

-- @include ../../redis/clock.lua

local now, quota = now_us(ARGV[1]), tonumber(ARGV[2])
local interval = math.ceil(ARGV[3] * 1000 / quota)
local whole = interval * quota

-- Limited to the quota, so that neither a clock that went back nor a reduced quota locks a key out. Written even if the
-- request is refused, because otherwise the quota would be empty until the clock reaches the old time.
local stored = (redis.call('GET', KEYS[1]) or 0) - now
local used = math.min(math.max(stored, 0), whole)

local taken = used + interval <= whole
if taken then
  used = used + interval
end
if taken or stored > whole then
  redis.call('SET', KEYS[1], now + used, 'PX', math.ceil(used / 1000))
end

local wait = math.max(used + interval - whole, 0)
return { taken and 1 or 0, math.floor((whole - used) / interval), math.ceil(wait / 1000), math.ceil(used / 1000) }
