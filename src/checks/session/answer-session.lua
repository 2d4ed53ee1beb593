#!lua
-- Records that a session's call was answered, so that the session has its full life. A repeat changes only times.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 creation time of the session
-- reply approximate number of the key's live sessions; 0 if the session is not alive

-- @include ../../redis/clock.lua
-- @include life.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[3]) then
  return 0
end
session.answered = true
put_off(session, now_ms(ARGV[1]))

return math.max(1, redis.call('ZCARD', KEYS[2])), save_sessions
