#!lua
-- Moves a session from the state that a call was judged by to the one that the call brings about, unless somebody else
-- has moved it in between. A repeat under the same operation gets the first answer, as long as fewer than 16 moves came
-- after it; one that was given back moves nothing any more.
--
-- KEYS  1..4 see life.lua   5 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1..5 see life.lua   6 operation id   7 when the session was created
--       8 the state that it is moved from; '' where it was never moved   9 the state that it is moved to
-- reply {moved | conflict | gone, its state before; '' where it was never moved}

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include moves.lua

if not lives_since(ARGV[7]) or redis.call('ZSCORE', KEYS[5], ARGV[6]) then
  return { 'gone', '' }
end
local stored = redis.call('HMGET', KEYS[1], 'state', 'moves')
local state, moves = stored[1] or '', stored[2] or ''
if has_moved(moves, ARGV[6]) then
  return { 'moved', state }
end
if state ~= ARGV[8] then
  return { 'conflict', state }
end
redis.call('HSET', KEYS[1], 'state', ARGV[9], 'moves', with_move(moves, ARGV[6]))
put_off(now_ms(ARGV[1]))
return { 'moved', state }
