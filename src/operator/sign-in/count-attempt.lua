-- Counts an attempt to sign in to the operator's page.
-- KEYS[1]  attempts of the address in this minute
-- KEYS[2]  attempts of all addresses in this minute
-- ARGV[1]  life of the counters in ms
-- Reply: both counts, this attempt included.
local counts = {}
for at, key in ipairs(KEYS) do
  counts[at] = redis.call('INCR', key)
  if counts[at] == 1 then
    redis.call('PEXPIRE', key, ARGV[1])
  end
end
return counts
