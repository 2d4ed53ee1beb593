#!lua
-- Notes that a call of a session was answered: from now on it lives for its whole life. Repeating it changes nothing but
-- times.
--
-- KEYS  1..3 see life.lua
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 when the session was created
-- reply live sessions of the key, about; 0 where the session does not live

-- @include ../../redis/clock.lua
-- @include life.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[3]) then
  return 0
end
session.answered = true
put_off(session, now_ms(ARGV[1]))

return math.max(1, redis.call('ZCARD', KEYS[2])), save_sessions
