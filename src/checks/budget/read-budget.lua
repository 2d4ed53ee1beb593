#!lua flags=allow-oom
-- Reads the accounts of a key after charging the holds whose lease ran out.
--
-- KEYS  1 holds (sorted set)   2.. accounts (hashes)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       then for each account: calendar
-- reply {holds charged just now, then for each account: spent, reserved, ms to its reset or -1}

-- @include accounts.lua

local now = now_ms(ARGV[1])
local reply = { settle_expired(KEYS[1], now) }
for i = 2, #KEYS do
  local account = load_account(KEYS[i], ARGV[i], now)
  reply[#reply + 1] = int(account.spent)
  reply[#reply + 1] = int(account.reserved)
  reply[#reply + 1] = account.finish and math.max(0, account.finish - now) or -1
end
return reply
