-- Shared by the scripts that count arrivals: the calls of a session within a window, separately for each limit. One
-- string, little endian:
--
--   version (1 byte: 2), time until which arrivals are also in sorted sets (double, Unix ms; 0 = in none), then for
--   each limit: length of its name (2 bytes), name, time at which its last arrival leaves the window (double, Unix ms),
--   length of its arrivals (4 bytes), and the arrivals, oldest first: time (double, Unix ms) and operation
--
-- Arrivals that would make the string long are in sorted sets of operations by time instead: those of a limit with more
-- than MAX_ENTRIES and, if a session uses many limits at once, those of every limit that is not in the string.

local ARRIVALS_VERSION, ARRIVALS_LAYOUT = 2, '<Bd'
local LIST_LAYOUT, ARRIVAL_LAYOUT, ARRIVAL_BYTES = '<Hc0dI4', '<dc13', 8 + ID_BYTES
local MAX_LISTS, MAX_ENTRIES = 6, 65

local function unpack_lists(arrivals, packed, now)
  local version, spread_until, at = struct.unpack(ARRIVALS_LAYOUT, packed)
  if version ~= ARRIVALS_VERSION then
    error('UNKNOWN_FORM arrivals ' .. version)
  end
  arrivals.spread_until = spread_until
  local name, ends, bytes
  while at <= #packed do
    name, ends, bytes, at = struct.unpack(LIST_LAYOUT, packed, at)
    if bytes % ARRIVAL_BYTES ~= 0 or at + bytes > #packed + 1 then
      error('arrivals of a session are damaged: end the session')
    end
    if ends > now then
      arrivals.lists[#arrivals.lists + 1] = { name = name, ends = ends, entries = string.sub(packed, at, at + bytes - 1) }
    end
    at = at + bytes
  end
end

-- Returns the limits whose last arrival is still in its window.
local function arrivals_at(key, now)
  local arrivals = { key = key, spread_until = 0, lists = {}, ends = 0 }
  local packed = redis.call('GET', key)
  if packed then
    unpack_lists(arrivals, packed, now)
  end
  return arrivals
end

-- The string lives until the last arrival leaves its window, but at most for `life`.
local function save_arrivals(arrivals, now, life)
  local parts, ends = { struct.pack(ARRIVALS_LAYOUT, ARRIVALS_VERSION, arrivals.spread_until) }, arrivals.spread_until
  for _, list in ipairs(arrivals.lists) do
    if list.entries ~= '' then
      parts[#parts + 1] = struct.pack(LIST_LAYOUT, #list.name, list.name, list.ends, #list.entries)
      parts[#parts + 1] = list.entries
      ends = math.max(ends, list.ends)
    end
  end
  if ends > now then
    redis.call('SET', arrivals.key, table.concat(parts), 'PX', int(math.max(1, math.min(ends - now, life))))
  else
    redis.call('DEL', arrivals.key)
  end
end

-- Returns the list of a limit, or nil if it has no arrivals or they are in a sorted set.
local function list_named(arrivals, name)
  for _, list in ipairs(arrivals.lists) do
    if list.name == name then
      return list
    end
  end
  return nil
end

local function place_in(list, id)
  return entry_at(list.entries, id, ARRIVAL_BYTES, 8)
end

-- Removes the arrivals up to and including `until_ms`.
local function forget_until(list, until_ms)
  local entries, at = list.entries, 1
  while at <= #entries and struct.unpack('<d', entries, at) <= until_ms do
    at = at + ARRIVAL_BYTES
  end
  if at > 1 then
    list.entries = string.sub(entries, at)
  end
end
