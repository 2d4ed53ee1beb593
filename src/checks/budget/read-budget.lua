#!lua flags=allow-oom
-- Reads the accounts of a key after charging the holds whose lease ran out.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3.. ledgers (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2.. accounts
-- reply {holds charged just now, then for each account: spent, reserved, ms to its reset or -1}

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local reply = { settle_expired(now) }
for _, account in ipairs(load_accounts(2, now)) do
  reply[#reply + 1] = int(account.spent)
  reply[#reply + 1] = int(account.reserved)
  reply[#reply + 1] = account.finish >= 0 and math.max(0, account.finish - now) or -1
end
save()
return reply
