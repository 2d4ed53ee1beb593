#!lua
-- Opens a session for one call and takes one step in it, or refuses the call. A call of an MCP server takes no step, is
-- refused for none, and is counted apart, so that the session stays while it runs. Limits come from the first request
-- that names them and can only be tightened. Idempotent under the operation's key: a repeat counts nothing twice.
--
-- A session is a hash: created, used (Unix ms), steps, state, and where they are set max_steps and budget (nano-USD),
-- mcp_calls and kept (see leave-session.lua); each taint as taint:<flag> and each tool as tool:<name>, with
-- `<place>:<operation>` as value, counted in taints and tools. Its spend stands in a purse of the budget scripts, field
-- session:spent.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 risk profile (hash)   4 operation (string)
--       5 the session's purse (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 session id   3 life of an idle session, ms   4 most live sessions of the key, 0 = unlimited
--       5 maximum of steps, '' where the request names none   6 budget in nano-USD, or ''   7 state of a new session
--       8 how long the operation is remembered, ms   9 step | mcp_call
-- reply {verdict, live sessions, spent, the session's fields and values}
--       verdict: opened | max_steps | budget | sessions | closed (the step was given back already)

-- @include ../../redis/clock.lua

local INDEX_BOUND = 10000

local now = now_ms(ARGV[1])
local ttl, most = tonumber(ARGV[3]), tonumber(ARGV[4])
local takes_step = ARGV[9] == 'step'

local operation = redis.call('GET', KEYS[4])
if operation == 'left' then
  return { 'closed', 0, '0', {} }
end

local function reply(verdict, live)
  local spent = redis.call('HGET', KEYS[5], 'session:spent') or '0'
  return { verdict, live, spent, redis.call('HGETALL', KEYS[1]) }
end

local function renew()
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', KEYS[5], ttl)
  redis.call('ZADD', KEYS[2], int(now), ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ttl)
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
if operation and operation == created then
  return reply('opened', 0)
end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', int(now - ttl))
local live = 0
if not created and most > 0 then
  live = redis.call('ZCARD', KEYS[2])
  if live >= most then
    return { 'sessions', live, '0', {} }
  end
end

local max_steps, budget = tighter(fields[3], ARGV[5]), tighter(fields[4], ARGV[6])
-- A purse of an earlier life of this name is nobody's any more.
local spent = created and tonumber(redis.call('HGET', KEYS[5], 'session:spent') or '0') or 0
local refused
if takes_step and max_steps and steps >= tonumber(max_steps) then
  refused = 'max_steps'
elseif takes_step and budget and spent >= tonumber(budget) then
  refused = 'budget'
end
if refused and not created then
  local limits = { 'created', int(now), 'used', int(now), 'steps', '0', 'state', ARGV[7] }
  if max_steps then
    limits[#limits + 1] = 'max_steps'
    limits[#limits + 1] = max_steps
  end
  if budget then
    limits[#limits + 1] = 'budget'
    limits[#limits + 1] = budget
  end
  return { refused, live, '0', limits }
end

local set = {}
if not created then
  created = int(now)
  redis.call('DEL', KEYS[5])
  redis.call('HINCRBY', KEYS[3], 'session_count', 1)
  set = { 'created', created, 'state', ARGV[7] }
end
if max_steps and max_steps ~= fields[3] then
  set[#set + 1] = 'max_steps'
  set[#set + 1] = max_steps
end
if budget and budget ~= fields[4] then
  set[#set + 1] = 'budget'
  set[#set + 1] = budget
  -- From now on also for calls that have taken their step, and have not reserved yet.
  redis.call('HSET', KEYS[5], 'session:limit', budget)
end
if not refused then
  if takes_step then
    steps = steps + 1
  else
    redis.call('HINCRBY', KEYS[1], 'mcp_calls', 1)
  end
  redis.call('SET', KEYS[4], created, 'PX', ARGV[8])
end
redis.call('HSET', KEYS[1], 'steps', int(steps), 'used', int(now), unpack(set))
renew()
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -math.max(INDEX_BOUND, most) - 1)
return reply(refused or 'opened', live)
