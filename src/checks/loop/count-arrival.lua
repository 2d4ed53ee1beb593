#!lua
-- Counts a call that has just come against limits of its session, each over a sliding window. Idempotent under the
-- operation id. No more than one over the limit is ever kept.
--
-- KEYS  1 the session (hash)   2.. one for each limit: arrivals (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id
--       3 '1' counts a call that exceeds a limit too; '' leaves it out of all of them, since it will be denied
--       then for each limit: window in ms, limit
-- reply 1|0 for each limit: 1 where it is exceeded with this call

-- @include ../../redis/clock.lua
-- @include keep.lua

local now = now_ms(ARGV[1])

local reply, exceeds = {}, false
for i = 1, #KEYS - 1 do
  local key, window, limit = KEYS[i + 1], tonumber(ARGV[2 + 2 * i]), tonumber(ARGV[3 + 2 * i])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', int(now - window))
  local others = redis.call('ZCARD', key) - (redis.call('ZSCORE', key, ARGV[2]) and 1 or 0)
  reply[i] = others >= limit and 1 or 0
  exceeds = exceeds or others >= limit
end

-- Were they kept, calls that are denied would push out those that were let through.
if exceeds and ARGV[3] == '' then
  return reply
end
for i = 1, #KEYS - 1 do
  local key = KEYS[i + 1]
  redis.call('ZADD', key, 'NX', int(now), ARGV[2])
  redis.call('ZREMRANGEBYRANK', key, 0, -2 - tonumber(ARGV[3 + 2 * i]))
  keep(key, ARGV[2 + 2 * i], KEYS[1])
end
return reply
