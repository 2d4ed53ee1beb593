#!lua
-- Puts off the end of a session by a call that is on its way, and the end of the call's lease. Repeating it changes
-- nothing but times.
--
-- KEYS  1..4 see life.lua
-- ARGV  1..5 see life.lua   6 operation id   7 when the session was created
-- reply 1 where the session lives, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

if not lives_since(ARGV[7]) then
  return 0
end
put_off(now_ms(ARGV[1]), ARGV[6])
return 1
