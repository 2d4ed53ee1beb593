#!lua flags=allow-oom
-- Notes that a call is not on its way any more, so that its session may be forgotten when it is its turn. May run when
-- Redis is full, because it frees. Repeating it changes nothing but the time of the last use.
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
take_call(session, ARGV[3])
put_off(session, now_ms(ARGV[1]))

return 1, save_sessions
