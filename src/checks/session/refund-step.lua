#!lua flags=allow-oom
-- Gives one step back, or one MCP server call. Deletes the session if it then has no calls, no notes and no moves.
-- Idempotent by the operation id. The id is remembered, so that a late step of the operation has no effect. May run
-- when Redis is full.
--
-- KEYS  1..3 see life.lua   4 risk profile (hash)   5 steps given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id   4 step | mcp_call
--       5 creation time of the session from the reply to its opening; '' if the reply was lost
--       6 how long the operation is remembered, ms   7 maximum number of remembered operations
-- reply 1 if a step or call was given back, else 0

-- @include ../../redis/clock.lua
-- @include life.lua
-- @include given-back.lua

local now, operation, created = now_ms(ARGV[1]), ARGV[3], ARGV[5]

if was_given_back(KEYS[5], operation) then
  return 0
end

local session = session_of(1, 2)
local in_flight = take_call(session, operation)
-- If the reply was lost, only a call in flight proves that the step was taken.
local gives_back = lives_since(session, created) and (created ~= '' or in_flight)
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
