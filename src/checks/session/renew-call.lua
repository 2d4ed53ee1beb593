#!lua
-- Extends the life of a session with a call in flight, and the call's lease. A repeat changes only times.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id
--       4 creation time of the session
-- reply 1 if the session is alive, else 0

-- @include ../../redis/clock.lua
-- @include life.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[4]) then
  return 0
end
put_off(session, now_ms(ARGV[1]), ARGV[3])

return 1, save_sessions
