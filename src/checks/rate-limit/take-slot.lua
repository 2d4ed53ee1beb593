#!lua
-- Takes one slot of a key's rate limit, or says how long to wait (GCRA): the key holds the time at which its whole
-- quota is free again, each request puts that off by one interval, and it may not lie further away than the quota.
-- A repeat of the command takes a second slot, which errs to the safe side and refills by itself; what is refused
-- changes nothing, unless the time lies too far away.
--
-- KEYS  1 time at which the whole quota is free, Unix microseconds
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 quota in requests
--       3 window in ms, in which a whole quota refills
-- reply {taken 1|0, requests left, ms to the next slot or 0, ms to the whole quota}

-- @include ../../redis/clock.lua

local now, quota = now_us(ARGV[1]), tonumber(ARGV[2])
local interval = math.ceil(ARGV[3] * 1000 / quota)
local whole = interval * quota

-- No further away than the quota: after a clock went back, or a smaller quota was configured, a key is not locked out.
-- That is written even where the request is refused: else the quota would be used up until the clock is there again.
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
