#!lua flags=allow-oom
-- Gives one step back, or a call of an MCP server, and forgets a session that is left with none of them, in which
-- nothing was noted and which nobody has moved. Idempotent under the operation id, which is remembered, and then also
-- keeps a step from being taken later. May run when Redis is full, because it frees.
--
-- KEYS  1..3 see life.lua   4 risk profile (hash)   5 steps given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id   4 step | mcp_call
--       5 when the session was created, by the answer to the opening; '' where that was lost
--       6 how long the operation is remembered, ms   7 how many are
-- reply 1 where one was given back, 0 where there was none

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua

local now, operation, created = now_ms(ARGV[1]), ARGV[3], ARGV[5]

if was_given_back(KEYS[5], operation) then
  return 0
end

local session = session_of(1, 2)
local on_its_way = take_call(session, operation)
-- Where the answer was lost, only a call that is on its way tells that the step was taken.
local gives_back = lives_since(session, created) and (created ~= '' or on_its_way)
local is_left, counted = false, 0
if gives_back then
  local counter = ARGV[4] == 'step' and 'steps' or 'mcp_calls'
  session[counter], session.changed = math.max(0, session[counter] - 1), true
  is_left = session.steps + session.mcp_calls > 0 or session.kept or session.state ~= ''
  counted = is_left and 0 or tonumber(redis.call('HGET', KEYS[4], 'session_count') or '0')
end

local function commit()
  remember_given_back(KEYS[5], now, operation, ARGV[6], ARGV[7])
  if gives_back and not is_left then
    if counted > 0 then
      redis.call('HINCRBY', KEYS[4], 'session_count', -1)
    end
    redis.call('ZREM', KEYS[2], ARGV[2])
    redis.call('DEL', KEYS[1], KEYS[3])
    sessions[KEYS[1]] = nil
  end
  save_sessions()
end

return gives_back and 1 or 0, commit
