#!lua
-- Moves a session from the state that a call was judged by to the one that the call brings about, unless somebody else
-- has moved it in between. A repeat under the same operation gets the first answer, as long as fewer than 16 moves came
-- after it; one that was given back moves nothing any more.
--
-- KEYS  1..3 see life.lua   4 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2..5 see life.lua   6 operation id
--       7 when the session was created
--       8 the state that it is moved from; '' where it was never moved   9 the state that it is moved to
-- reply {moved | conflict | gone, its state before; '' where it was never moved}

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua
-- @include moves.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[7]) or was_given_back(KEYS[4], ARGV[6]) then
  return { 'gone', '' }
end
local state = session.state
if has_moved(session, ARGV[6]) then
  return { 'moved', state }
end
if state ~= ARGV[8] then
  return { 'conflict', state }
end
session.state = ARGV[9]
add_move(session, ARGV[6])
put_off(session, now_ms(ARGV[1]))

local function commit()
  save_sessions()
end

return { 'moved', state }, commit
