#!lua
-- Puts off the end of a session by a call that is on its way, and the end of the call's lease. Repeating it changes
-- nothing but times.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id
--       4 when the session was created
-- reply 1 where the session lives, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[4]) then
  return 0
end
put_off(session, now_ms(ARGV[1]), ARGV[3])

return 1, save_sessions
