#!lua
-- Keeps a session alive that is in use, if it is still the same life of it.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 the session's purse (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 session id   3 life of an idle session, ms   4 when the session was created
-- reply 1 where it lives, else 0

-- @include ../../redis/clock.lua

if redis.call('HGET', KEYS[1], 'created') ~= ARGV[4] then
  return 0
end
local now = int(now_ms(ARGV[1]))
redis.call('HSET', KEYS[1], 'used', now)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
redis.call('ZADD', KEYS[2], 'XX', now, ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
