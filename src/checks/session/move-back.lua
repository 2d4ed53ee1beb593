#!lua flags=allow-oom
-- Undoes the move of a call that nobody made, where nobody has moved the session since. Idempotent under the operation
-- id, which is remembered, and then also keeps a move from being made later. May run when Redis is full.
--
-- KEYS  1..3 see life.lua   4 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id
--       4 when the session was created
--       5 the state that it was moved from; '' where it was never moved before   6 the state that it was moved to
--       7 how long the operation is remembered, ms   8 how many are
-- reply 1 where the move was undone, else 0

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
