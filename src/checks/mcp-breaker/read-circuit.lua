#!lua flags=no-writes
-- Says what the circuit of a server lets pass.
--
-- KEYS  1 circuit (hash, see circuit.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how long a circuit stays open, ms   3 lease of a probe, ms
-- reply {closed | open | half_open, ms until a probe may pass}

-- @include ../../redis/clock.lua
-- @include circuit.lua

local state, wait = state_of(KEYS[1], now_ms(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
return { state, wait }
