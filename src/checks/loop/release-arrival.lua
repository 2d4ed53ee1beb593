#!lua flags=allow-oom
-- Removes from the arrivals a call that was not forwarded or not answered. A repeat finds nothing.
--
-- KEYS  1 the session's arrivals (see arrivals.lua)   2.. for each limit: the arrivals that are not in KEYS 1
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id, then the name of each limit
-- reply 1

-- @include ../../redis/clock.lua
-- @include ../../redis/entries.lua
-- @include arrivals.lua

local now, id = now_ms(ARGV[1]), short_id(ARGV[2])
local arrivals, sets, found = arrivals_at(KEYS[1], now), {}, false
for nth = 1, #KEYS - 1 do
  local list = list_named(arrivals, ARGV[2 + nth])
  local at = list and place_in(list, id)
  if at then
    list.entries = string.sub(list.entries, 1, at - 1) .. string.sub(list.entries, at + ARRIVAL_BYTES)
    found = true
  elseif not list and arrivals.spread_until > now then
    sets[#sets + 1] = KEYS[nth + 1]
  end
end
local life = found and redis.call('PTTL', KEYS[1]) or 0

local function commit()
  for _, key in ipairs(sets) do
    redis.call('ZREM', key, id)
  end
  if found then
    save_arrivals(arrivals, now, life)
  end
end

return 1, commit
