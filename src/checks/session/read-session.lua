#!lua flags=no-writes
-- Reads a session as it stands.
--
-- KEYS  1 session   2 the session's ledger
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
-- reply {spent, the session (see notes.lua), calls on their way, how often it was written}; empty where there is no such
-- session

-- @include ../../redis/clock.lua
-- @include ../../redis/ledger.lua
-- @include spend.lua
-- @include ../../redis/session.lua
-- @include calls.lua
-- @include notes.lua

local session = session_at(KEYS[1])
if session.created < 0 then
  return {}
end
return { int(spent_in(KEYS[2])), view_of(session), running_calls(session, now_ms(ARGV[1])), session.revision }
