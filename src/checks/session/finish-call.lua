#!lua flags=allow-oom
-- Notes that a call is not on its way any more, so that its session may be forgotten when it is its turn. May run when
-- Redis is full, because it frees. Repeating it changes nothing but the time of the last use.
--
-- KEYS  1..4 see life.lua
-- ARGV  1..5 see life.lua   6 operation id   7 when the session was created
-- reply 1 where the session lives, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

if not lives_since(ARGV[7]) then
  return 0
end
redis.call('ZREM', KEYS[4], ARGV[6])
put_off(now_ms(ARGV[1]))
return 1
