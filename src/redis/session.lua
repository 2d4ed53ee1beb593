-- Shared by scripts that read or write sessions. A session is one string, little endian.
--
--   version (1 byte: 2), flags (1 byte: 1 answered, 2 kept), created, used, end of its life, score among the key's live
--   sessions (-1 = none), steps, MCP server calls, maximum number of steps, budget in nano-USD (-1 = none), number of
--   writes (doubles; times in Unix ms), lengths of six texts (4 bytes each), and the texts: state ('' = never moved),
--   moves, calls in flight, taints, tools, marks
--
-- Its spend is in a ledger of the budget scripts. The lists belong to moves.lua, calls.lua and notes.lua of the session
-- check.
--
-- The score of a live session in its key's index is the end of its life, so that sessions without an answer are evicted
-- first, and then the least recently used. The score lags by at most 1/LAG_SHARE of a life and MAX_LAG_MS, because not
-- every use is worth a write. Eviction reads the session first. A session that cannot be evicted, because a call is in
-- flight, gets IN_FLIGHT and the end of the last lease, after all others, until it is used again.

-- @include entries.lua
-- @include ledger.lua

local SESSION_VERSION = 2
local SESSION_LAYOUT = '<BBdddddddddI4I4I4I4I4I4'
local ANSWERED, KEPT = 1, 2
local CALL_LAYOUT, CALL_BYTES = '<dc13', 8 + ID_BYTES
local IN_FLIGHT, LAG_SHARE, MAX_LAG_MS = 10000000000000, 64, 10000

local sessions = {}

local function is_whole(session)
  -- The clock may have gone back since the session was opened.
  return session.created >= 0 and session.used >= 0 and session.ends >= -1 and session.place >= -1
    and session.steps >= 0 and session.mcp_calls >= 0 and session.max_steps >= -1 and session.budget >= -1
    and #session.moves % ID_BYTES == 0 and #session.calls % CALL_BYTES == 0
end

-- Tables are created with all their members, as for ledgers.
local function unpack_session(key, packed)
  if string.byte(packed) ~= SESSION_VERSION then
    error('UNKNOWN_FORM session ' .. string.byte(packed))
  end
  local _, flags, created, used, ends, place, steps, mcp_calls, max_steps, budget, revision,
    state, moves, calls, taint, tool, mark, at = struct.unpack(SESSION_LAYOUT, packed)
  local function text(length)
    if length == 0 then
      return ''
    end
    at = at + length
    return string.sub(packed, at - length, at - 1)
  end
  local session = {
    key = key, created = created, used = used, ends = ends, place = place, steps = steps, mcp_calls = mcp_calls,
    max_steps = max_steps, budget = budget, revision = revision, state = text(state), moves = text(moves), calls = text(calls),
    taint = text(taint), tool = text(tool), mark = text(mark), answered = flags % 2 >= ANSWERED,
    kept = flags % 4 >= KEPT, changed = false, life_ms = false, index = false, ledger = false, id = false,
    index_ms = false, in_flight = false,
  }
  if at ~= #packed + 1 or not is_whole(session) then
    error('a session is damaged: end it')
  end
  return session
end

local function new_session(key)
  return {
    key = key, created = -1, used = -1, ends = -1, place = -1, steps = 0, mcp_calls = 0, max_steps = -1, budget = -1, revision = 0,
    state = '', moves = '', calls = '', taint = '', tool = '', mark = '', answered = false, kept = false, changed = false,
    life_ms = false, index = false, ledger = false, id = false, index_ms = false, in_flight = false,
  }
end

-- Returns the same table for the same key, so that all parts of a script change the same session.
local function session_at(key)
  local session = sessions[key]
  if session then
    return session
  end
  local packed = redis.call('GET', key)
  session = packed and unpack_session(key, packed) or new_session(key)
  sessions[key] = session
  return session
end

-- Reports whether the session is open and was created at `created` ('' = at any time).
local function lives_since(session, created)
  return session.created >= 0 and (created == '' or session.created == tonumber(created))
end

-- Returns a session's remaining life in ms, or math.huge without a session. This is cheaper than reading the session.
local function life_left(key, now)
  local session = sessions[key]
  local left = session and session.ends - now or redis.call('PTTL', key)
  return left > 0 and left or math.huge
end

local function flags_of(session)
  return (session.answered and ANSWERED or 0) + (session.kept and KEPT or 0)
end

-- Lua joins the texts, because struct copies them byte by byte.
local function write_session(session)
  local state, moves, calls = session.state, session.moves, session.calls
  local taint, tool, mark = session.taint, session.tool, session.mark
  local head = struct.pack(
    SESSION_LAYOUT, SESSION_VERSION, flags_of(session), session.created, session.used, session.ends, session.place,
    session.steps, session.mcp_calls, session.max_steps, session.budget, session.revision + 1,
    #state, #moves, #calls, #taint, #tool, #mark
  )
  local packed = head .. state .. moves .. calls .. taint .. tool .. mark
  if session.life_ms then
    redis.call('SET', session.key, packed, 'PX', session.life_ms)
  else
    redis.call('SET', session.key, packed, 'KEEPTTL')
  end
  session.changed, session.revision = false, session.revision + 1
end

local function place_of(session)
  if session.in_flight then
    return session.in_flight
  end
  local life, lag = session.ends - session.used, session.ends - session.place
  if lag >= 0 and lag <= math.min(life / LAG_SHARE, MAX_LAG_MS) then
    return session.place
  end
  return session.ends
end

-- Writes changed sessions. A session's ledger gets the session's new life; a ledger that has changed too is written
-- only once, afterwards.
local function save_sessions()
  for _, session in pairs(sessions) do
    if session.changed then
      local place = session.index and place_of(session) or session.place
      if place ~= session.place then
        session.place = place
        redis.call('ZADD', session.index, int(place), session.id)
        if session.index_ms then
          redis.call('PEXPIRE', session.index, session.index_ms)
        end
      end
      write_session(session)
      if session.life_ms and session.ledger then
        local ledger = ledgers[session.ledger]
        if ledger and ledger.changed then
          ledger.owner_ms = session.life_ms
        else
          redis.call('PEXPIRE', session.ledger, session.life_ms)
        end
      end
    end
  end
end
