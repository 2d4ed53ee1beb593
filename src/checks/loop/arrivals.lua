-- Shared by the scripts that count arrivals: how many calls of a session came within a window, for each limit apart. One
-- string, little endian:
--
--   version (1 byte: 2), until when arrivals stand in sorted sets too (double, Unix ms; 0 = in none), then for each limit:
--   its name after its length (2 bytes), when its last arrival leaves the window (double, Unix ms), length of its arrivals
--   (4 bytes), and they, the oldest first: time (double, Unix ms) and operation
--
-- What would make it long stands in a sorted set of operations by time instead: the arrivals of a limit that has more than
-- MAX_ENTRIES of them, and, in a session that uses many limits at once, those of every one that is not in the string.

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

-- Those whose last arrival has not left its window.
local function arrivals_at(key, now)
  local arrivals = { key = key, spread_until = 0, lists = {}, ends = 0 }
  local packed = redis.call('GET', key)
  if packed then
    unpack_lists(arrivals, packed, now)
  end
  return arrivals
end

-- Lives until its last arrival leaves its window, or for `life` where that is less.
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

-- The list of a limit; nil where its arrivals stand in a sorted set, or it has none.
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

-- Takes out what came no later than `until_ms`.
local function forget_until(list, until_ms)
  local entries, at = list.entries, 1
  while at <= #entries and struct.unpack('<d', entries, at) <= until_ms do
    at = at + ARRIVAL_BYTES
  end
  if at > 1 then
    list.entries = string.sub(entries, at)
  end
end
