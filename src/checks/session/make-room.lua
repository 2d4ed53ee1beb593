-- Shared by the script that opens sessions: keeps the key's live sessions to their number. What is found here is written
-- by `commit_room` alone.

-- Sessions looked at because their time may be over, looked at to forget one of them, and forgotten, in one call; the next
-- one goes on. The first few are most often all that need to be looked at.
local LAPSED_PER_CALL, LOOKED_PER_CALL, FORGOTTEN_PER_CALL = 64, 1024, 8
local LOOKED_AT_FIRST, LOOKED_AT_ONCE = 4, 64
local SAMPLED_PER_CALL = 4

-- `session` is the one to be opened; `templates`: keys of a session, with # for the key's hash and * for the session's id,
-- in one string.
local function new_room(session, profile, templates)
  return {
    index = session.index, prefix = string.sub(session.key, 1, -#session.id - 1),
    hash = string.sub(profile, #'gateway:risk_profile:' + 1), templates = templates,
    live = redis.call('ZCARD', session.index), over_at = false, gone = {}, is_gone = {}, evicted = {},
  }
end

-- The keys of another session of this key, of one slot with those in KEYS.
local function keys_of(room, id)
  local keys = {}
  for template in string.gmatch(room.templates, '%S+') do
    keys[#keys + 1] = (string.gsub(string.gsub(template, '#', room.hash), '%*', id))
  end
  return keys
end

-- Nil where its life is over; then it is taken out of the index.
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

-- Finds those whose life is over.
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

-- Finds those that were put after all others because of calls that are over, since their gateway died. They go back to
-- their place; returns those that still live.
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

-- Looks at the next sessions that may go: adds those with no call on its way to `idle`, and puts the others after all.
-- Returns how many there were.
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

-- How many sessions may stay so that all of the key take MAX_KEY_BYTES, by a random few of them; not fewer than can be
-- made room for in one call.
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

-- Finds sessions to forget, so that the key has `most` with one more; false where a call is on its way in each.
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
    -- What else this script has changed of it is not written anew.
    for _, key in ipairs(keys) do
      sessions[key], ledgers[key] = nil, nil
    end
    redis.call('ZREM', room.index, id)
    redis.call('DEL', unpack(keys))
  end
end
