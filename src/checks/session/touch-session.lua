#!lua
-- Keeps a session alive that is in use, if it is still the same life of it.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 the session's purse (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 session id   3 life of an idle session, ms   4 when the session was created
-- reply 1 where it lives, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

if redis.call('HGET', KEYS[1], 'created') ~= ARGV[4] then
  return 0
end
put_off(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3], now_ms(ARGV[1]))
return 1
