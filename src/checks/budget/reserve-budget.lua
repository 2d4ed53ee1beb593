#!lua
-- Reserves the worst-case cost of one request in a list of accounts, or refuses it; all or nothing. Idempotent under
-- the hold's key: a repeat gets the first answer. Without the allow-oom flag Redis refuses it as a whole when full.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (string)   4.. ledgers (strings)
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
local lease_ms = tonumber(ARGV[2])
local input, rate = tonumber(ARGV[3]), tonumber(ARGV[4])

settle_expired(now)

local accounts = load_accounts(9, now)

local function tightest()
  local best
  for _, account in ipairs(accounts) do
    if account.cap then
      best = tighter(best, account)
    end
  end
  return best
end

-- Float noise of the rate must not add a nano-USD; no sum may leave the range of exact integers.
local function cost_of(tokens)
  return math.min(input + math.ceil(rate * tokens - 0.000001), MAX_NANO_USD)
end

-- The client's own limit, or a quarter of what is left.
local function wanted_tokens()
  local asked = tonumber(ARGV[5])
  if asked then
    return asked
  end
  local largest, smallest = tonumber(ARGV[6]), tonumber(ARGV[7])
  local before = tightest()
  if not before or rate <= 0 then
    return largest
  end
  local share = math.floor((remaining_of(before) - input) / 4 / rate)
  return math.min(largest, math.max(share, smallest))
end

-- The tightest of the accounts that this does not fit in.
local function refusal_of(amount)
  local refused
  for _, account in ipairs(accounts) do
    if account.cap and (account.spent >= account.cap or amount > remaining_of(account)) then
      refused = tighter(refused, account)
    end
  end
  return refused
end

local function reserve()
  local tokens = wanted_tokens()
  local amount = cost_of(tokens)
  local refused = refusal_of(amount)
  local lowest = tonumber(ARGV[8])
  if refused and lowest and lowest < tokens and rate > 0 then
    local fits = math.floor((remaining_of(tightest()) - input) / rate)
    tokens = math.max(lowest, math.min(fits, tokens))
    amount = cost_of(tokens)
    refused = refusal_of(amount)
  end
  if refused then
    return { 'refused', int(amount), tokens, tightest_reply(accounts, refused, now) }, false
  end
  -- Where the clock went back, the windows that stay are ahead of it.
  local reserved_at = now
  for _, account in ipairs(accounts) do
    add(account, 0, amount)
    reserved_at = math.max(reserved_at, account.start)
  end
  lease(KEYS[3], keep_hold(KEYS[3], HELD, amount, tokens, reserved_at, '', { unpack(KEYS, 4) }), now, lease_ms)
  return { 'reserved', int(amount), tokens, tightest_reply(accounts, tightest(), now) }, save
end

local function answer()
  local earlier = hold_at(KEYS[3])
  if not earlier then
    return reserve()
  end
  if earlier.state == SETTLED then
    return { 'closed', '0', 0, -1, '0', -1 }, false
  end
  return { 'reserved', int(earlier.amount), earlier.granted, tightest_reply(accounts, tightest(), now) }, save
end

local reply, commit = answer()
if commit == false then
  -- Leases that ran out are charged all the same.
  save()
end
return reply, commit
