#!lua
-- Takes a place among the requests that wait for approval, up to the limits in ARGV 4 and 5. Only one of several
-- equal requests of a key has a place at a time. Idempotent: a request keeps its place.
--
-- KEYS  1 places (sorted set of ids by the Unix ms at which they become free)
--       2 places of the key (the same; members are `<request digest> <id>`)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 id   3 maximum wait, ms   4 maximum number of places
--       5 maximum number of places of one key   6 request digest
-- reply {taken | full | over_share | equal, now in Unix ms}

-- @include ../redis/clock.lua

local now, wait = now_ms(ARGV[1]), tonumber(ARGV[3])
local digest = ARGV[6]
for _, places in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', places, '-inf', int(now))
  -- A place taken before the clock went back lasts no longer than a new one.
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', places, '(' .. int(now + wait), '+inf')) do
    redis.call('ZADD', places, int(now + wait), member)
  end
end
if not redis.call('ZSCORE', KEYS[1], ARGV[2]) then
  local own = redis.call('ZRANGE', KEYS[2], 0, -1)
  for _, member in ipairs(own) do
    if string.sub(member, 1, #digest + 1) == digest .. ' ' then
      return { 'equal', int(now) }
    end
  end
  if #own >= tonumber(ARGV[5]) then
    return { 'over_share', int(now) }
  end
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
    return { 'full', int(now) }
  end
  redis.call('ZADD', KEYS[1], int(now + wait), ARGV[2])
  redis.call('ZADD', KEYS[2], int(now + wait), digest .. ' ' .. ARGV[2])
end
-- A place taken before the clock went back becomes free when its record ends, at the latest.
for _, places in ipairs(KEYS) do
  if redis.call('PTTL', places) < wait then
    redis.call('PEXPIRE', places, ARGV[3])
  end
end
return { 'taken', int(now) }
