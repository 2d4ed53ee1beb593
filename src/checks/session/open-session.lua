#!lua
-- Opens a session for one call and takes one step in it, or refuses the call. An MCP server call takes no step, is
-- never refused for lack of steps, and has its own counter, so that its session stays while it runs. The first request
-- with a limit sets it; later ones can only tighten it. Idempotent by the operation id while the call is in flight.
--
-- A key without a session limit still keeps a bounded number: a new session evicts the first candidate.
--
-- KEYS  1..3 see life.lua   4 risk profile (hash), whose name ends with the key's hash
--       5 steps given back (sorted set of operation ids by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 see life.lua   3 operation id   4 step | mcp_call
--       5 maximum number of steps, '' if the request sets no limit   6 budget in nano-USD, or ''
--       7 creation time of the session when it was read; -1 = there was none; '' = it was not read
--       8 its number of writes then   9 its spend then
-- constants MAX_PER_KEY: maximum number of the key's live sessions, or 0; beyond it, a new one is refused.
--       MAX_LIVE: the maximum if unlimited. MAX_KEY_BYTES: the maximum size of all of them then, measured from
--       MEASURED_FROM sessions on. TEMPLATES: keys of a session, see make-room.lua
-- reply {verdict, live sessions, spend, the session (see notes.lua), created by this call 1|0, ids of evicted sessions};
--       if the session was read before: its creation time in place of the session, and 0 as spend
--       verdict: opened | max_steps | budget | sessions | closed (the step was already given back) | changed (the
--       session has changed since it was read, or refuses the call: nothing is done); the last three have no session

-- @include ../../redis/clock.lua
-- @include ../../redis/ledger.lua
-- @include spend.lua
-- @include life.lua
-- @include notes.lua
-- @include given-back.lua

local now = now_ms(ARGV[1])
local operation, takes_step = ARGV[3], ARGV[4] == 'step'

if was_given_back(KEYS[5], operation) then
  return { 'closed', 0, '0', {}, 0, {} }
end

local session, spent_before = session_of(1, 2), spent_in(KEYS[3])
local is_new = session.created < 0

if not is_new and call_at(session, operation) then
  return { 'opened', 0, int(spent_before), view_of(session), 0, {} }
end
local is_as_read = session.created == tonumber(ARGV[7]) and session.revision == tonumber(ARGV[8])
  and (is_new or spent_before == tonumber(ARGV[9]))
if ARGV[7] ~= '' and not is_as_read then
  return { 'changed', 0, '0', {}, 0, {} }, false
end

-- Returns the tighter of a stored and a requested limit.
local function tighter(stored, asked)
  if asked == '' or (stored >= 0 and stored <= tonumber(asked)) then
    return stored
  end
  return tonumber(asked)
end

local function look_for_room()
  -- @include make-room.lua
  local room = new_room(session, KEYS[4], TEMPLATES)
  prune(room, now)
  if MAX_PER_KEY > 0 and room.live >= MAX_PER_KEY then
    lapsed_calls(room, now)
  end
  room.make, room.commit, room.fits = make_room, commit_room, sessions_that_fit
  return room
end

-- Number of calls of a session between two measurements of its key.
local MEASURED_EVERY = 16

local room = is_new and look_for_room() or nil
local live = room and room.live or 0

-- Maximum number of the key's sessions, including this one, which makes room for itself.
local most = MAX_LIVE
if is_new and MAX_PER_KEY == 0 and live >= MEASURED_FROM then
  most = math.min(most, room:fits())
end

local max_steps, budget = tighter(session.max_steps, ARGV[5]), tighter(session.budget, ARGV[6])
local refused
if MAX_PER_KEY > 0 and is_new and live >= MAX_PER_KEY then
  refused = 'sessions'
elseif takes_step and max_steps >= 0 and session.steps >= max_steps then
  refused = 'max_steps'
elseif takes_step and budget >= 0 and (is_new and 0 or spent_before) >= budget then
  refused = 'budget'
elseif is_new and MAX_PER_KEY == 0 and live >= most and not room:make(now, most) then
  refused = 'sessions'
end

if refused and ARGV[7] ~= '' then
  return { 'changed', 0, '0', {}, 0, {} }, false
end

local opens = is_new and not refused
if is_new then
  session.created, session.used = now, now
  forget_ledger(KEYS[3])
end
local sets_budget = budget ~= session.budget
session.max_steps, session.budget = max_steps, budget
if not refused then
  session.steps = session.steps + (takes_step and 1 or 0)
  session.mcp_calls = session.mcp_calls + (takes_step and 0 or 1)
end
if opens or not is_new then
  put_off(session, now, not refused and operation or nil)
end
-- Sessions grow after they are opened, so the key is also measured regularly without a new session. This session cannot
-- be evicted, because its call is in flight.
local is_due = not is_new and not refused and MAX_PER_KEY == 0
  and (session.steps + session.mcp_calls) % MEASURED_EVERY == 0
if is_due then
  room = look_for_room()
  local fit = room.live >= MEASURED_FROM and room:fits() or room.live
  if room.live > fit then
    room:make(now, fit + 1)
  end
end
local limited
if sets_budget and (opens or not is_new) then
  -- The limit also applies to calls that have taken their step but not yet reserved.
  limited = limit_spending(KEYS[3], budget, SESSION_TTL_TEXT)
end

local function commit()
  if opens then
    redis.call('HINCRBY', KEYS[4], 'session_count', 1)
    redis.call('DEL', KEYS[3])
  end
  if room then
    room:commit()
  end
  if limited then
    limited.changed = true
  end
  save_sessions()
  save_ledgers()
end

-- The caller has already read the rest.
if ARGV[7] ~= '' then
  return { 'opened', live, '0', session.created, opens and 1 or 0, room and room.evicted or {} }, commit
end
local spent = int(spent_in(KEYS[3]))
local view = refused == 'sessions' and {} or view_of(session)
return { refused or 'opened', live, spent, view, opens and 1 or 0, room and room.evicted or {} }, commit
