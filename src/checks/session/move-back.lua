#!lua flags=allow-oom
-- Undoes the move of a call that was not made, unless the session has moved since. Idempotent by the operation id. The
-- id is remembered, so that a late move of the operation has no effect. May run when Redis is full.
--
-- KEYS  1..3 see life.lua   4 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id
--       4 creation time of the session
--       5 state before the move, '' if the session had never moved   6 state after the move
--       7 how long the operation is remembered, ms   8 maximum number of remembered operations
-- reply 1 if the move was undone, else 0

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua
-- @include moves.lua

local now, session = now_ms(ARGV[1]), session_of(1, 2)
if was_given_back(KEYS[4], ARGV[3]) then
  return 0
end
local undoes = lives_since(session, ARGV[4]) and session.state == ARGV[6] and drop_last_move(session, ARGV[3])
if undoes then
  session.state, session.changed = ARGV[5], true
  if ARGV[5] == '' then
    session.moves = ''
  end
end

local function commit()
  remember_given_back(KEYS[4], now, ARGV[3], ARGV[7], ARGV[8])
  save_sessions()
end

return undoes and 1 or 0, commit
