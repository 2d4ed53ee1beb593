#!lua
-- Reserves the worst-case cost of one request in a list of accounts, or refuses it; all or nothing. Idempotent under
-- the hold's key: a repeat gets the first answer. Without the allow-oom flag Redis refuses it as a whole when full.
--
-- KEYS  1 holds (sorted set)   2 hold (hash)   3.. accounts (hashes)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 lease in ms
--       3 cost of the input and the call itself, nano-USD
--       4 nano-USD for one token of output limit (all choices together)
--       5 the client's own output limit in tokens, '' where it set none, so that one is granted
--       6 largest limit to grant     7 smallest limit to grant
--       then for each account: calendar (minute|hour|day|week|month|none), limit in nano-USD or '', idle ms
-- reply {verdict, amount, output tokens, tightest account from 0 or -1, its remainder, ms to its reset or -1}
--       verdict: reserved | refused (the tightest of those it does not fit in is named) | closed (settled already)

-- @include accounts.lua

local now = now_ms(ARGV[1])
local lease = tonumber(ARGV[2])
local input, rate = tonumber(ARGV[3]), tonumber(ARGV[4])
local FIRST_ACCOUNT, FIRST_ARG = 3, 8

settle_expired(KEYS[1], now)

local earlier = redis.call('HMGET', KEYS[2], 'state', 'amount', 'granted')
if earlier[1] == 'settled' then
  return { 'closed', '0', 0, -1, '0', -1 }
end

local accounts, tightest = {}, nil
for i = FIRST_ACCOUNT, #KEYS do
  local arg = FIRST_ARG + (i - FIRST_ACCOUNT) * 3
  local account = load_account(KEYS[i], ARGV[arg], now)
  account.limit = tonumber(ARGV[arg + 1])
  account.idle_ms = ARGV[arg + 2]
  accounts[#accounts + 1] = account
  if account.limit then
    tightest = tighter(tightest, i - FIRST_ACCOUNT, account, account.limit)
  end
end

if earlier[1] then
  return { 'reserved', earlier[2], tonumber(earlier[3]), tightest_reply(tightest, now) }
end

-- Float noise of the rate must not add a nano-USD.
local function cost_of(tokens)
  return input + math.ceil(rate * tokens - 0.000001)
end

local tokens = tonumber(ARGV[5])
if not tokens then
  local largest, smallest = tonumber(ARGV[6]), tonumber(ARGV[7])
  tokens = largest
  if tightest and rate > 0 then
    local share = math.floor((tightest.remaining - input) / 4 / rate)
    tokens = math.min(largest, math.max(share, smallest))
  end
end
local amount = cost_of(tokens)

local refused
for index, account in ipairs(accounts) do
  local limit = account.limit
  if limit and (account.spent >= limit or amount > limit - account.spent - account.reserved) then
    refused = tighter(refused, index - 1, account, limit)
  end
end
if refused then
  return { 'refused', int(amount), tokens, tightest_reply(refused, now) }
end

local hold = { 'state', 'held', 'amount', int(amount), 'granted', int(tokens) }
tightest = nil
for index, account in ipairs(accounts) do
  account.reserved = account.reserved + amount
  save_account(account, now, account.idle_ms)
  hold[#hold + 1] = account.key
  hold[#hold + 1] = int(account.start)
  if account.limit then
    tightest = tighter(tightest, index - 1, account, account.limit)
  end
end
redis.call('HSET', KEYS[2], unpack(hold))
redis.call('PEXPIRE', KEYS[2], int(lease + LATE_MS))
redis.call('ZADD', KEYS[1], int(now + lease), KEYS[2])
redis.call('PEXPIRE', KEYS[1], int(lease + LATE_MS))
return { 'reserved', int(amount), tokens, tightest_reply(tightest, now) }
