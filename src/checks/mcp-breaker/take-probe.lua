#!lua
-- Takes the probe of a call's half-open circuits, either all or none. Only one probe runs at a time. A repeat by the
-- operation that holds the probe renews its lease.
--
-- KEYS  1 server's circuit   2 the key's circuit there (hashes, see circuit.lua)
-- ARGV  1 now in Unix ms for tests, '' = Redis clock
--       2 ms that a circuit stays open   3 probe lease in ms   4 operation id
--       5 ms that an open circuit is remembered
-- reply {taken | closed | open, ms until the next probe}

-- @include ../../redis/clock.lua
-- @include circuit.lua

local now, lease = now_ms(ARGV[1]), tonumber(ARGV[3])

local probed, refused_for = {}, 0
for _, circuit in ipairs(KEYS) do
  local state, wait = state_of(circuit, now, tonumber(ARGV[2]), lease)
  local holds = state ~= 'closed' and redis.call('HGET', circuit, 'probe') == ARGV[4]
  if state == 'half_open' or holds then
    probed[#probed + 1] = circuit
  elseif state == 'open' then
    refused_for = math.max(refused_for, wait)
  end
end

if refused_for > 0 then
  return { 'open', refused_for }
end
for _, circuit in ipairs(probed) do
  redis.call('HSET', circuit, 'probe', ARGV[4], 'probe_until', int(now + lease))
  redis.call('PEXPIRE', circuit, ARGV[5])
end
return { #probed > 0 and 'taken' or 'closed', 0 }
