#!lua
-- Moves a session from the state in which a call was judged to the call's new state, unless another call has moved it
-- in the meantime. A repeat of the operation gets the first answer if fewer than 16 moves have followed. An operation
-- that was given back moves nothing.
--
-- KEYS  1..3 see life.lua   4 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id
--       4 creation time of the session
--       5 state before the move, '' if the session has never moved   6 state after the move
-- reply {moved | conflict | gone, previous state; '' if the session had never moved}

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua
-- @include moves.lua

local session = session_of(1, 2)
if not lives_since(session, ARGV[4]) or was_given_back(KEYS[4], ARGV[3]) then
  return { 'gone', '' }
end
local state = session.state
if has_moved(session, ARGV[3]) then
  return { 'moved', state }
end
if state ~= ARGV[5] then
  return { 'conflict', state }
end
session.state = ARGV[6]
add_move(session, ARGV[3])
put_off(session, now_ms(ARGV[1]))

return { 'moved', state }, save_sessions
