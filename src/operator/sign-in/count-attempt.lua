-- Counts an attempt to sign in to the operator page.
-- KEYS[1]  attempts of the address in this minute
-- KEYS[2]  attempts of all addresses in this minute; absent if only the address is limited
-- ARGV[1]  lifetime of the counters in ms
-- ARGV[2]  limit per address; KEYS[2] does not count attempts above this limit
-- Reply: both counts, including this attempt.
local function count(key)
  local counted = redis.call('INCR', key)
  if counted == 1 then
    redis.call('PEXPIRE', key, ARGV[1])
  end
  return counted
end
local ofAddress = count(KEYS[1])
if not KEYS[2] then
  return { ofAddress, 0 }
end
if ofAddress > tonumber(ARGV[2]) then
  return { ofAddress, tonumber(redis.call('GET', KEYS[2]) or '0') }
end
return { ofAddress, count(KEYS[2]) }
