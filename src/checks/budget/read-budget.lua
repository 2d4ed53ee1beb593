#!lua flags=allow-oom
-- Reads the accounts of a key after charging its holds with expired leases.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3.. ledgers (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2.. see accounts.lua
-- reply {holds charged by this call, then for each account: spent, reserved, ms until its reset or -1}

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local reply = { settle_expired(now) }
for _, ledger in ipairs(load_ledgers(3, 2, now)) do
  local values = ledger.values
  for at = FIRST, ledger.last, WIDTH do
    local finish = values[at + FINISH]
    reply[#reply + 1] = values[at + SPENT]
    reply[#reply + 1] = values[at + RESERVED]
    reply[#reply + 1] = finish >= 0 and math.max(0, finish - now) or -1
  end
end
save()
return reply
