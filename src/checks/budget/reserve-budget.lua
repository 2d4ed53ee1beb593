#!lua
-- Reserves the worst-case cost of one request in a list of accounts, or refuses it; all or nothing. Idempotent under
-- the hold's key: a repeat gets the first answer. Without the allow-oom flag Redis refuses it as a whole when full.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (hash)   4.. purses (hashes)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 lease in ms
--       3 cost of the input and the call itself, nano-USD
--       4 nano-USD for one token of output limit (all choices together)
--       5 the client's own output limit in tokens, '' where it set none, so that one is granted
--       6 largest limit to grant     7 smallest limit to grant
--       8 what the client's own limit may be lowered to, so that it fits; '' where it may not be lowered
--       9.. accounts
-- reply {verdict, amount, output tokens, tightest account from 0 or -1, its remainder, ms to its reset or -1}
--       verdict: reserved | refused (the tightest of those it does not fit in is named, and the least amount that
--       was tried) | closed (settled already)

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local lease = tonumber(ARGV[2])
local input, rate = tonumber(ARGV[3]), tonumber(ARGV[4])

settle_expired(KEYS[1], now)

local earlier = redis.call('HMGET', KEYS[3], 'state', 'amount', 'granted')
if earlier[1] == 'settled' then
  return { 'closed', '0', 0, -1, '0', -1 }
end

local accounts, purses = load_accounts(9, now)

local function tightest()
  local best
  for index, account in ipairs(accounts) do
    if account.limit then
      best = tighter(best, index - 1, account)
    end
  end
  return best
end

if earlier[1] then
  return { 'reserved', earlier[2], tonumber(earlier[3]), tightest_reply(tightest(), now) }
end

-- Float noise of the rate must not add a nano-USD; no sum may leave the range of exact integers.
local function cost_of(tokens)
  return math.min(input + math.ceil(rate * tokens - 0.000001), MAX_NANO_USD)
end

local tokens = tonumber(ARGV[5])
if not tokens then
  local largest, smallest = tonumber(ARGV[6]), tonumber(ARGV[7])
  local before = tightest()
  tokens = largest
  if before and rate > 0 then
    local share = math.floor((before.remaining - input) / 4 / rate)
    tokens = math.min(largest, math.max(share, smallest))
  end
end
local amount = cost_of(tokens)

-- The tightest of the accounts that this does not fit in.
local function refusal_of(wanted)
  local refused
  for index, account in ipairs(accounts) do
    local limit = account.limit
    if limit and (account.spent >= limit or wanted > limit - account.spent - account.reserved) then
      refused = tighter(refused, index - 1, account)
    end
  end
  return refused
end

local refused = refusal_of(amount)
local lowest = tonumber(ARGV[8])
if refused and lowest and lowest < tokens and rate > 0 then
  local fits = math.floor((tightest().remaining - input) / rate)
  tokens = math.max(lowest, math.min(fits, tokens))
  amount = cost_of(tokens)
  refused = refusal_of(amount)
end
if refused then
  return { 'refused', int(amount), tokens, tightest_reply(refused, now) }
end

local hold = { 'state', 'held', 'amount', int(amount), 'granted', int(tokens) }
for key, members in pairs(purses) do
  add(key, members, 0, amount)
  hold[#hold + 1] = key
  hold[#hold + 1] = windows_of(members)
end
redis.call('HSET', KEYS[3], unpack(hold))
redis.call('PEXPIRE', KEYS[3], int(lease + LATE_MS))
redis.call('ZADD', KEYS[1], int(now + lease), KEYS[3])
redis.call('PEXPIRE', KEYS[1], int(lease + LATE_MS))
return { 'reserved', int(amount), tokens, tightest_reply(tightest(), now) }
