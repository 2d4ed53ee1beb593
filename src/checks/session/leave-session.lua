#!lua flags=allow-oom
-- Gives one step back, or a call of an MCP server, and forgets a session that is left with none of them, in which
-- nothing was noted and which nobody has moved. Idempotent under the operation id, which is remembered, and then also keeps a step from being taken
-- later. May run when Redis is full, because it frees.
--
-- KEYS  1..4 see life.lua   5 risk profile (hash)   6 steps given back (sorted set of operation ids by Unix ms)
-- ARGV  1..5 see life.lua   6 operation id   7 step | mcp_call
--       8 when the session was created, by the answer to the opening; '' where that was lost
--       9 how long the operation is remembered, ms   10 how many are
-- reply 1 where one was given back, 0 where there was none

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua

local now, operation, created = now_ms(ARGV[1]), ARGV[6], ARGV[8]

if not give_back(KEYS[6], now, operation, ARGV[9], ARGV[10]) then
  return 0
end

-- Where the answer was lost, only a call that is on its way tells that the step was taken.
local on_its_way = redis.call('ZREM', KEYS[4], operation) == 1
if not lives_since(created) or (created == '' and not on_its_way) then
  return 0
end
redis.call('HINCRBY', KEYS[1], ARGV[7] == 'step' and 'steps' or 'mcp_calls', -1)
local left = redis.call('HMGET', KEYS[1], 'steps', 'mcp_calls', 'kept', 'state')
if tonumber(left[1]) + tonumber(left[2] or '0') > 0 or left[3] or left[4] then
  place(now, now + redis.call('PTTL', KEYS[1]))
  return 1
end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.call('ZREM', KEYS[2], ARGV[2])
if tonumber(redis.call('HGET', KEYS[5], 'session_count') or '0') > 0 then
  redis.call('HINCRBY', KEYS[5], 'session_count', -1)
end
return 1
