#!lua flags=allow-oom
-- Gives one step back, or a call of an MCP server, and forgets a session that is left with none of them and in which
-- nothing was noted. Idempotent under the operation's key, which then also keeps a step from being taken later. May run
-- when Redis is full, because it frees.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 risk profile (hash)   4 operation (string)
--       5 the session's purse (hash)
-- ARGV  1 session id
--       2 when the session was created, by the answer to the opening; '' where that was lost
--       3 how long the operation is remembered, ms   4 step | mcp_call
-- reply 1 where one was given back, 0 where there was none

local operation = redis.call('GET', KEYS[4])
if operation == 'left' then
  return 0
end
redis.call('SET', KEYS[4], 'left', 'PX', ARGV[3])

local created = operation or ARGV[2]
if created == '' or redis.call('HGET', KEYS[1], 'created') ~= created then
  return 0
end
redis.call('HINCRBY', KEYS[1], ARGV[4] == 'step' and 'steps' or 'mcp_calls', -1)
local left = redis.call('HMGET', KEYS[1], 'steps', 'mcp_calls', 'kept')
if tonumber(left[1]) + tonumber(left[2] or '0') > 0 or left[3] then
  return 1
end
redis.call('DEL', KEYS[1], KEYS[5])
redis.call('ZREM', KEYS[2], ARGV[1])
if tonumber(redis.call('HGET', KEYS[3], 'session_count') or '0') > 0 then
  redis.call('HINCRBY', KEYS[3], 'session_count', -1)
end
return 1
