#!lua flags=allow-oom
-- Records that a call is no longer in flight, so its session may be evicted. May run when Redis is full, because it
-- frees memory. A repeat changes only the time of the last use.
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
take_call(session, ARGV[3])
put_off(session, now_ms(ARGV[1]))

return 1, save_sessions
