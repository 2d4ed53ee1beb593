#!lua
-- Records the use of an MCP session in its key's index, and removes the least recently used sessions beyond the limit.
-- The sessions themselves are in other slots, so the caller ends the returned ones. A repeat only changes times.
--
-- KEYS  1 the key's MCP sessions (sorted set of digests by Unix ms)
-- ARGV  1 digest   2 ms until an unused session is forgotten   3 maximum number of sessions
--       4 '1' adds the session if it is missing
-- reply removed digests

-- @include ../../../redis/clock.lua

local PER_CALL = 64

local now = now_ms('')
if ARGV[4] == '1' then
  redis.call('ZADD', KEYS[1], int(now), ARGV[1])
else
  redis.call('ZADD', KEYS[1], 'XX', int(now), ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', int(now - tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])

local out = {}
local beyond = math.min(redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[3]), PER_CALL)
if beyond > 0 then
  out = redis.call('ZRANGE', KEYS[1], 0, beyond - 1)
  redis.call('ZREM', KEYS[1], unpack(out))
end
return out
