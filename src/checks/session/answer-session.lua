#!lua
-- Notes that a call of a session was answered: from now on it lives for its whole life. Repeating it changes nothing but
-- times.
--
-- KEYS  1..4 see life.lua
-- ARGV  1..5 see life.lua   6 when the session was created
-- reply 1 where the session lives, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

if not lives_since(ARGV[6]) then
  return 0
end
redis.call('HSET', KEYS[1], 'answered', '1')
put_off(now_ms(ARGV[1]))
return 1
