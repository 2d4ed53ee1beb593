#!lua
-- Takes a place among the requests that wait for a person, of which there may be so many at once. Idempotent: one that has
-- its place keeps it.
--
-- KEYS  1 places (sorted set of ids by the Unix ms at which they are free again)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 id   3 how long it may wait, ms   4 places that there are
-- reply {taken | full, now in Unix ms}

-- @include ../redis/clock.lua

local now, wait = now_ms(ARGV[1]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', int(now))
-- Taken before the clock went back: worth no more than a new one.
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. int(now + wait), '+inf')) do
  redis.call('ZADD', KEYS[1], int(now + wait), id)
end
if not redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
    return { 'full', int(now) }
  end
  redis.call('ZADD', KEYS[1], int(now + wait), ARGV[2])
end
-- A place that was taken before the clock went back is free no later than its record is gone.
if redis.call('PTTL', KEYS[1]) < wait then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return { 'taken', int(now) }
