#!lua flags=no-writes
-- Returns the state of a call's two circuits. The stricter one wins.
--
-- KEYS  1 server's circuit   2 the key's circuit there (hashes, see circuit.lua)
-- ARGV  1 now in Unix ms for tests, '' = Redis clock
--       2 ms that a circuit stays open   3 probe lease in ms
-- reply {closed | open | half_open, ms until the next probe}

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
