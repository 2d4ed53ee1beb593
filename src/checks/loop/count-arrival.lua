#!lua
-- Counts a new call against the limits of its session, each over a sliding window. Idempotent by the operation id.
-- Keeps at most one arrival over the limit, and none longer than the session lives.
--
-- KEYS  1 the session   2 its arrivals (see arrivals.lua)
--       3.. for each limit: the arrivals that are not in KEYS 2 (sorted set)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id
--       3 '1' also counts a call that exceeds a limit; '' does not count it at all, because it will be denied
--       then for each limit: its name, window in ms, limit
-- reply 1|0 for each limit: 1 if this call exceeds it

-- @include ../../redis/clock.lua
-- @include ../../redis/session.lua
-- @include arrivals.lua

local now, id = now_ms(ARGV[1]), short_id(ARGV[2])
local arrivals = arrivals_at(KEYS[2], now)

local function list_for(name)
  local list = list_named(arrivals, name)
  if not list and #arrivals.lists < MAX_LISTS and arrivals.spread_until <= now then
    list = { name = name, ends = 0, entries = '' }
    arrivals.lists[#arrivals.lists + 1] = list
  end
  return list
end

-- Returns a limit with its arrivals, except this call's own.
local function limit_at(nth)
  local name, window, most = ARGV[1 + 3 * nth], tonumber(ARGV[2 + 3 * nth]), tonumber(ARGV[3 + 3 * nth])
  local limit = { key = KEYS[nth + 2], window = window, most = most, list = list_for(name), others = 0 }
  -- Arrivals later than now were counted before the clock went back, and no longer count.
  if limit.list then
    if limit.list.ends > now + window then
      limit.list.entries = ''
    end
    forget_until(limit.list, now - window)
    limit.others = #limit.list.entries / ARRIVAL_BYTES - (place_in(limit.list, id) and 1 or 0)
  else
    local own = redis.call('ZSCORE', limit.key, id)
    local came = own and tonumber(own) or -1
    local found = redis.call('ZCOUNT', limit.key, '(' .. int(now - window), int(now))
    limit.others = found - (came > now - window and came <= now and 1 or 0)
  end
  return limit
end

local limits, reply, exceeds = {}, {}, false
for nth = 1, #KEYS - 2 do
  limits[nth] = limit_at(nth)
  reply[nth] = limits[nth].others >= limits[nth].most and 1 or 0
  exceeds = exceeds or reply[nth] == 1
end

-- Denied calls must not displace those that passed.
if exceeds and ARGV[3] == '' then
  return reply, false
end

local sets = {}

-- Moves the arrivals of a limit to its sorted set.
local function spread(limit, list)
  limit.pairs = {}
  for at = 1, #list.entries, ARRIVAL_BYTES do
    local came, operation = struct.unpack(ARRIVAL_LAYOUT, list.entries, at)
    limit.pairs[#limit.pairs + 1] = int(came)
    limit.pairs[#limit.pairs + 1] = operation
  end
  list.entries = ''
end

for _, limit in ipairs(limits) do
  local list = limit.list
  if list and not place_in(list, id) then
    local entries = list.entries .. struct.pack(ARRIVAL_LAYOUT, now, id)
    list.entries, list.ends = string.sub(entries, -(limit.most + 1) * ARRIVAL_BYTES), now + limit.window
    if #list.entries > MAX_ENTRIES * ARRIVAL_BYTES then
      spread(limit, list)
    end
  end
  if not list then
    limit.pairs = { int(now), id }
  end
  if limit.pairs then
    sets[#sets + 1] = limit
    arrivals.spread_until = math.max(arrivals.spread_until, now + limit.window)
  end
end
local life = life_left(KEYS[1], now)

local function commit()
  for _, limit in ipairs(sets) do
    redis.call('ZREMRANGEBYSCORE', limit.key, '-inf', int(now - limit.window))
    redis.call('ZREMRANGEBYSCORE', limit.key, '(' .. int(now), '+inf')
    redis.call('ZADD', limit.key, 'NX', unpack(limit.pairs))
    redis.call('ZREMRANGEBYRANK', limit.key, 0, -2 - limit.most)
    redis.call('PEXPIRE', limit.key, int(math.min(limit.window, life)))
  end
  save_arrivals(arrivals, now, life)
end

return reply, commit
