#!lua flags=no-writes
-- Says what the two circuits of a call let pass: the stricter one decides.
--
-- KEYS  1 circuit of the server   2 circuit of the key there (hashes, see circuit.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how long a circuit stays open, ms   3 lease of a probe, ms
-- reply {closed | open | half_open, ms until a probe may pass}

-- @include ../../redis/clock.lua
-- @include circuit.lua

local now, window, lease = now_ms(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local of_server, server_wait = state_of(KEYS[1], now, window, lease)
local of_key, key_wait = state_of(KEYS[2], now, window, lease)

local function either(state)
  return of_server == state or of_key == state
end

if either('open') then
  return { 'open', math.max(server_wait, key_wait) }
end
return { either('half_open') and 'half_open' or 'closed', 0 }
