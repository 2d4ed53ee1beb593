#!lua flags=allow-oom
-- Undoes the move of a call that nobody made, where nobody has moved the session since. Idempotent under the operation
-- id, which is remembered, and then also keeps a move from being made later. May run when Redis is full.
--
-- KEYS  1..4 see life.lua   5 operations given back (sorted set of operation ids by Unix ms)
-- ARGV  1..5 see life.lua   6 operation id   7 when the session was created
--       8 the state that it was moved from; '' where it was never moved before   9 the state that it was moved to
--      10 how long the operation is remembered, ms   11 how many are
-- reply 1 where the move was undone, else 0

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua
-- @include moves.lua

if not give_back(KEYS[5], now_ms(ARGV[1]), ARGV[6], ARGV[10], ARGV[11]) or not lives_since(ARGV[7]) then
  return 0
end
local stored = redis.call('HMGET', KEYS[1], 'state', 'moves')
local moves = without_last(stored[2] or '', ARGV[6])
if not moves or stored[1] ~= ARGV[9] then
  return 0
end
if ARGV[8] == '' then
  redis.call('HDEL', KEYS[1], 'state', 'moves')
else
  redis.call('HSET', KEYS[1], 'state', ARGV[8], 'moves', moves)
end
return 1
