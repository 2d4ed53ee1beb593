-- Shared by the scripts that read or write sessions. A session is what is read and written together: one string, little
-- endian.
--
--   version (1 byte: 1), flags (1 byte: 1 answered, 2 kept, 4 some of its arrivals stand in sorted sets), created (-1 = no
--   session is open, there are only arrivals), used, end of its life, place among the key's live sessions (-1 = none),
--   steps, calls of MCP servers, maximum of steps, budget in nano-USD (-1 = none) (doubles; times in Unix ms), and seven
--   texts, each after its length (4 bytes): state ('' = never moved), moves, calls on their way, arrivals, taints, tools,
--   marks
--
-- It is Redis who ends its life; the end that stands in it is for those who keep things no longer than it lives.
-- Its spend stands in a purse of the budget scripts. Lists are the business of who changes them: moves.lua, calls.lua,
-- notes.lua, and arrivals.lua of the loop check.

local SESSION_VERSION = 1
local SESSION_LAYOUT = '<BBddddddddI4c0I4c0I4c0I4c0I4c0I4c0I4c0'
local ANSWERED, KEPT, SPREAD = 1, 2, 4
local CALL_LAYOUT, CALL_BYTES = '<dc18', 8 + ID_BYTES

local sessions = {}

local function has_flag(flags, flag)
  return flags % (2 * flag) >= flag
end

-- Made with all its members at once, as purses are.
local function keep_session(
  key, flags, created, used, ends, place, steps, mcp_calls, max_steps, budget, state, moves, calls, arrivals, taint, tool,
  mark
)
  local session = {
    key = key, created = created, used = used, ends = ends, place = place, steps = steps, mcp_calls = mcp_calls,
    max_steps = max_steps, budget = budget, state = state, moves = moves, calls = calls, arrivals = arrivals,
    taint = taint, tool = tool, mark = mark, answered = has_flag(flags, ANSWERED), kept = has_flag(flags, KEPT),
    spread = has_flag(flags, SPREAD), changed = false, life_ms = false, index = false, purse = false, id = false,
    terms = false, in_flight = false,
  }
  sessions[key] = session
  return session
end

local function is_whole(session)
  return session.created >= -1 and session.used >= session.created and session.ends >= -1 and session.place >= -1
    and session.steps >= 0 and session.mcp_calls >= 0 and session.max_steps >= -1 and session.budget >= -1
    and #session.moves % ID_BYTES == 0 and #session.calls % CALL_BYTES == 0
end

local function unpack_session(key, packed)
  local version, flags = string.byte(packed, 1, 2)
  if version ~= SESSION_VERSION then
    error('a session is of a version that this gateway does not know: end it')
  end
  local values = { struct.unpack(SESSION_LAYOUT, packed) }
  if values[18] ~= #packed + 1 then
    error('a session is damaged: end it')
  end
  local session = keep_session(key, flags, unpack(values, 3, 17))
  if not is_whole(session) then
    error('a session is damaged: end it')
  end
  return session
end

-- The same table for the same key, so that all who change a session in one script change the same one.
local function session_at(key)
  local session = sessions[key]
  if session then
    return session
  end
  local packed = redis.call('GET', key)
  if packed then
    return unpack_session(key, packed)
  end
  return keep_session(key, 0, -1, -1, -1, -1, 0, 0, -1, -1, '', '', '', '', '', '', '')
end

-- True where it is open, and still the session that was created then; '' = whenever.
local function lives_since(session, created)
  return session.created >= 0 and (created == '' or session.created == tonumber(created))
end

local function flags_of(session)
  return (session.answered and ANSWERED or 0) + (session.kept and KEPT or 0) + (session.spread and SPREAD or 0)
end

local function write_session(session)
  local packed = struct.pack(
    SESSION_LAYOUT, SESSION_VERSION, flags_of(session), session.created, session.used, session.ends, session.place,
    session.steps, session.mcp_calls, session.max_steps, session.budget, #session.state, session.state,
    #session.moves, session.moves, #session.calls, session.calls, #session.arrivals, session.arrivals,
    #session.taint, session.taint, #session.tool, session.tool, #session.mark, session.mark
  )
  if session.life_ms then
    redis.call('SET', session.key, packed, 'PX', int(session.life_ms))
  else
    redis.call('SET', session.key, packed, 'KEEPTTL')
  end
  session.changed = false
end
