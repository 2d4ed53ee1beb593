#!lua
-- Takes the probe of a half-open circuit: one at a time, whoever asks. Under the operation that holds the probe it puts
-- off the end of its lease, so that a repeat changes nothing else.
--
-- KEYS  1 circuit (hash, see circuit.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how long a circuit stays open, ms   3 lease of a probe, ms   4 operation id
--       5 how long an open circuit is remembered, ms
-- reply {taken | closed | open, ms until a probe may pass}

-- @include ../../redis/clock.lua
-- @include circuit.lua

local now, lease = now_ms(ARGV[1]), tonumber(ARGV[3])

local state, wait = state_of(KEYS[1], now, tonumber(ARGV[2]), lease)
local holds = state ~= 'closed' and redis.call('HGET', KEYS[1], 'probe') == ARGV[4]
if state ~= 'half_open' and not holds then
  return { state, wait }
end
redis.call('HSET', KEYS[1], 'probe', ARGV[4], 'probe_until', int(now + lease))
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return { 'taken', 0 }
