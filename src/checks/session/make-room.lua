-- Part of the script that opens sessions: limits the number of the key's live sessions. Only `commit_room` writes the
-- results.

-- Limits per call: sessions checked because their life may have ended, sessions checked for eviction, and sessions
-- evicted. The next call continues. Usually the first few checks are enough.
local LAPSED_PER_CALL, LOOKED_PER_CALL, FORGOTTEN_PER_CALL = 64, 1024, 8
local LOOKED_AT_FIRST, LOOKED_AT_ONCE = 4, 64
local SAMPLED_PER_CALL = 4

-- `session` is the new session. `templates` are the keys of a session, separated by spaces, with # for the key's hash
-- and * for the id of the session.
local function new_room(session, profile, templates)
  return {
    index = session.index, prefix = string.sub(session.key, 1, -#session.id - 1),
    hash = string.sub(profile, #'gateway:risk_profile:' + 1), templates = templates,
    live = redis.call('ZCARD', session.index), over_at = false, gone = {}, is_gone = {}, evicted = {},
  }
end

-- Returns the keys of another session of this key, all in the same slot as KEYS.
local function keys_of(room, id)
  local keys = {}
  for template in string.gmatch(room.templates, '%S+') do
    keys[#keys + 1] = (string.gsub(string.gsub(template, '#', room.hash), '%*', id))
  end
  return keys
end

-- Returns nil if the session's life has ended, and then notes that it must leave the index.
local function look_at(room, id)
  local session = session_at(room.prefix .. id)
  if session.created >= 0 then
    session.index, session.id = room.index, id
    return session
  end
  if not room.is_gone[id] then
    room.is_gone[id], room.gone[#room.gone + 1], room.live = true, id, room.live - 1
  end
  return nil
end

-- Finds sessions whose life has ended.
local function prune(room, now)
  local first = redis.call('ZRANGE', room.index, 0, 0, 'WITHSCORES')[2]
  if not first or tonumber(first) > now then
    return
  end
  room.over_at = now - MAX_LAG_MS
  room.live = room.live - redis.call('ZCOUNT', room.index, '-inf', int(room.over_at))
  local doubtful = redis.call(
    'ZRANGEBYSCORE', room.index, '(' .. int(room.over_at), int(now), 'LIMIT', 0, LAPSED_PER_CALL
  )
  for _, id in ipairs(doubtful) do
    look_at(room, id)
  end
end

-- Finds sessions that were placed last because of calls in flight whose leases have expired, such as those of a crashed
-- gateway. They return to their positions. Returns those that are still alive.
local function lapsed_calls(room, now)
  local lapsed = redis.call(
    'ZRANGEBYSCORE', room.index, int(IN_FLIGHT), int(IN_FLIGHT + now), 'LIMIT', 0, LAPSED_PER_CALL
  )
  local idle = {}
  for _, id in ipairs(lapsed) do
    local session = look_at(room, id)
    if session then
      session.changed = true
      idle[#idle + 1] = session
    end
  end
  return idle
end

-- Checks the next candidates: adds those without a call in flight to `idle`, and moves the others to the end. Returns
-- the number of candidates.
local function look_on(room, now, from, idle)
  local many = from == 0 and LOOKED_AT_FIRST or LOOKED_AT_ONCE
  local next_ones = redis.call('ZRANGE', room.index, from, from + many - 1, 'WITHSCORES')
  for at = 1, #next_ones, 2 do
    if tonumber(next_ones[at + 1]) >= IN_FLIGHT then
      return 0
    end
    local over = room.over_at and tonumber(next_ones[at + 1]) <= room.over_at
    local session = not over and look_at(room, next_ones[at])
    if session and last_lease(session) > now then
      session.in_flight, session.changed = IN_FLIGHT + last_lease(session), true
    elseif session then
      idle[#idle + 1] = session
    end
  end
  return #next_ones / 2
end

-- Estimates from a random sample how many sessions of the key fit into MAX_KEY_BYTES. Returns at least the number that
-- one call can evict down to.
local function sessions_that_fit(room)
  local sampled, bytes = redis.call('ZRANDMEMBER', room.index, SAMPLED_PER_CALL), 0
  for _, id in ipairs(sampled) do
    for _, key in ipairs(keys_of(room, id)) do
      bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0)
    end
  end
  local fit = math.floor(MAX_KEY_BYTES * #sampled / math.max(bytes, 1))
  return math.max(fit, room.live + 1 - FORGOTTEN_PER_CALL)
end

local function goes_before(one, other)
  return one.ends < other.ends
end

-- Selects sessions to evict, so that at most `most` remain with a new one. Returns false if all have calls in flight.
local function make_room(room, now, most)
  local idle = lapsed_calls(room, now)
  local looked = 0
  while room.live + 1 - most > #idle and looked < LOOKED_PER_CALL do
    local found = look_on(room, now, looked, idle)
    if found == 0 then
      break
    end
    looked = looked + found
  end
  table.sort(idle, goes_before)
  for nth = 1, math.min(room.live + 1 - most, FORGOTTEN_PER_CALL, #idle) do
    room.evicted[nth] = idle[nth].id
  end
  return room.live < most or #room.evicted > 0
end

local function commit_room(room)
  if room.over_at then
    redis.call('ZREMRANGEBYSCORE', room.index, '-inf', int(room.over_at))
  end
  if #room.gone > 0 then
    redis.call('ZREM', room.index, unpack(room.gone))
  end
  for _, id in ipairs(room.evicted) do
    local keys = keys_of(room, id)
    -- This script's other changes to an evicted session must not be written.
    for _, key in ipairs(keys) do
      sessions[key], ledgers[key] = nil, nil
    end
    redis.call('ZREM', room.index, id)
    redis.call('DEL', unpack(keys))
  end
end
