#!lua
-- Takes the probe of a call's half-open circuits, of both or of none: one at a time, whoever asks. Under the operation
-- that holds a probe it puts off the end of its lease, so that a repeat changes nothing else.
--
-- KEYS  1 circuit of the server   2 circuit of the key there (hashes, see circuit.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how long a circuit stays open, ms   3 lease of a probe, ms   4 operation id
--       5 how long an open circuit is remembered, ms
-- reply {taken | closed | open, ms until a probe may pass}

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
