#!lua
-- Opens a session for one call and takes one step in it, or refuses the call. A call of an MCP server takes no step, is
-- refused for none, and is counted apart, so that the session stays while it runs. Limits come from the first request
-- that names them and can only be tightened. Idempotent under the operation id while the call is on its way.
--
-- A session is a hash: created, used (Unix ms), steps, and where they are set state and moves (see moves.lua), max_steps
-- and budget (nano-USD), answered, mcp_calls and kept (see leave-session.lua); each taint as taint:<flag>, tool as
-- tool:<name> and mark as mark:<name>, with `<place>:<operation>` as value, counted in taints, tools and marks. Its spend
-- stands in a purse of the budget scripts, in the account named session.
--
-- A key that may have any number of sessions keeps a bounded one: the session that is first to go makes room.
--
-- KEYS  1..4 see life.lua   5 risk profile (hash)   6 steps given back (sorted set of operation ids by Unix ms)
-- ARGV  1..5 see life.lua   6 operation id   7 step | mcp_call
--       8 most live sessions of the key, beyond which it is refused; 0 = unlimited
--       9 most live sessions where that is unlimited
--      10 maximum of steps, '' where the request names none   11 budget in nano-USD, or ''
--      12 see make-room.lua
-- reply {verdict, live sessions, spent, the session's fields and values, created by this 1|0, ids of those that made room}
--       verdict: opened | max_steps | budget | sessions | closed (the step was given back already)

-- @include ../../redis/clock.lua
-- @include ../../redis/purse.lua
-- @include spend.lua
-- @include life.lua
-- @include make-room.lua

local now = now_ms(ARGV[1])
local operation, takes_step, most = ARGV[6], ARGV[7] == 'step', tonumber(ARGV[8])

if redis.call('ZSCORE', KEYS[6], operation) then
  return { 'closed', 0, '0', {}, 0, {} }
end

local evicted, is_new = {}, 0
local function reply(verdict, live)
  return { verdict, live, int(account_of(KEYS[3]).spent), redis.call('HGETALL', KEYS[1]), is_new, evicted }
end

-- The tighter of a stored limit and one that is asked for.
local function tighter(stored, asked)
  if asked == '' or (stored and tonumber(stored) <= tonumber(asked)) then
    return stored
  end
  return asked
end

local fields = redis.call('HMGET', KEYS[1], 'created', 'steps', 'max_steps', 'budget')
local created, steps = fields[1], tonumber(fields[2] or '0')
if created and redis.call('ZSCORE', KEYS[4], operation) then
  return reply('opened', 0)
end

local live = 0
if not created then
  prune(now)
  live = redis.call('ZCARD', KEYS[2])
  if most > 0 and live >= most then
    return { 'sessions', live, '0', {}, 0, {} }
  end
end

local max_steps, budget = tighter(fields[3], ARGV[10]), tighter(fields[4], ARGV[11])
-- A purse of an earlier life of this name is nobody's any more.
local spent = created and account_of(KEYS[3]).spent or 0
local refused
if takes_step and max_steps and steps >= tonumber(max_steps) then
  refused = 'max_steps'
elseif takes_step and budget and spent >= tonumber(budget) then
  refused = 'budget'
end
if refused and not created then
  local limits = { 'created', int(now), 'used', int(now), 'steps', '0' }
  if max_steps then
    limits[#limits + 1] = 'max_steps'
    limits[#limits + 1] = max_steps
  end
  if budget then
    limits[#limits + 1] = 'budget'
    limits[#limits + 1] = budget
  end
  return { refused, live, '0', limits, 0, {} }
end

local set = {}
if not created then
  local beyond = live + 1 - tonumber(ARGV[9])
  if most == 0 and beyond > 0 then
    evicted = evict(beyond)
    if #evicted == 0 then
      return { 'sessions', live, '0', {}, 0, {} }
    end
  end
  is_new = 1
  created = int(now)
  redis.call('DEL', KEYS[3], KEYS[4])
  purses[KEYS[3]] = nil
  redis.call('HINCRBY', KEYS[5], 'session_count', 1)
  set = { 'created', created }
end
if max_steps and max_steps ~= fields[3] then
  set[#set + 1] = 'max_steps'
  set[#set + 1] = max_steps
end
if budget and budget ~= fields[4] then
  set[#set + 1] = 'budget'
  set[#set + 1] = budget
  -- From now on also for calls that have taken their step, and have not reserved yet.
  local purse = purse_at(KEYS[3])
  account_of(KEYS[3]).limit = tonumber(budget)
  purse.changed, purse.life_ms = true, ARGV[3]
  save_purses()
end
if not refused then
  if takes_step then
    steps = steps + 1
  else
    redis.call('HINCRBY', KEYS[1], 'mcp_calls', 1)
  end
end
redis.call('HSET', KEYS[1], 'steps', int(steps), unpack(set))
put_off(now, not refused and operation or nil)
return reply(refused or 'opened', live)
