#!lua
-- Adds objects to those that a key created at providers. Forgets the ones unused for too long, and the least recently
-- used ones beyond the limit. A repeat only changes times.
--
-- KEYS  1 the key's objects (sorted set of digests by Unix ms)
-- ARGV  1 now in Unix ms for tests, '' = Redis clock
--       2 ms until an unused object is forgotten   3 maximum number of objects
--       4... digests
-- reply number of objects

-- @include ../../redis/clock.lua

local now = now_ms(ARGV[1])
for i = 4, #ARGV do
  redis.call('ZADD', KEYS[1], int(now), ARGV[i])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', int(now - tonumber(ARGV[2])))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
