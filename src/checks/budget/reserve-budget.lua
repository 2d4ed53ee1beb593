#!lua
-- Reserves the highest possible cost of one request in a list of accounts, or refuses it: all or nothing. Idempotent by
-- the hold's key: a repeat gets the first answer. The script has no allow-oom flag, so a full Redis refuses it.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (string)   4.. ledgers (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 cost of the input and the call itself, nano-USD
--       3 nano-USD for one token of output limit (all choices together)
--       4 the client's own output limit in tokens; '' to grant one
--       5 largest limit to grant     6 smallest limit to grant
--       7 lowest value to which the client's own limit may be lowered; '' if it must not be
--       8.. see accounts.lua
-- reply {verdict, amount, output tokens, index of the tightest account or -1, its remainder, ms until its reset or -1}
--       verdict: reserved | refused (with the tightest account that the amount exceeds, and the lowest amount tried) |
--       closed (already settled)

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local input, rate = tonumber(ARGV[2]), tonumber(ARGV[3])

settle_expired(now)

local loaded = load_ledgers(4, 8, now)

-- Rounding errors of the rate must not add a nano-USD, and sums must stay exact integers.
local function cost_of(tokens)
  return math.min(input + math.ceil(rate * tokens - 0.000001), MAX_NANO_USD)
end

-- Returns the client's own limit, or as many tokens as a quarter of the remainder pays for, between ARGV 6 and ARGV 5.
local function wanted_tokens(index, remaining)
  local asked = tonumber(ARGV[4])
  if asked then
    return asked
  end
  local largest, smallest = tonumber(ARGV[5]), tonumber(ARGV[6])
  if index < 0 or rate <= 0 then
    return largest
  end
  local share = math.floor((remaining - input) / 4 / rate)
  return math.min(largest, math.max(share, smallest))
end

local function keep(amount, tokens)
  -- If the clock has gone back, windows may begin after `now`.
  local reserved_at = now
  for nth = 1, #loaded do
    local ledger = loaded[nth]
    local values = ledger.values
    for at = FIRST, ledger.last, WIDTH do
      values[at + RESERVED] = values[at + RESERVED] + amount
      local start = values[at + START]
      if start > reserved_at then
        reserved_at = start
      end
    end
    touch(ledger)
  end
  local hold = keep_hold(KEYS[3], HELD, amount, tokens, reserved_at, '', table.concat(KEYS, '\0', 4))
  lease(KEYS[3], hold, now)
end

local function reserve()
  local index, remaining, finish = tightest_of(loaded)
  local tokens = wanted_tokens(index, remaining)
  local amount = cost_of(tokens)
  -- An amount that fits into the tightest account fits into all.
  if index >= 0 and (amount > remaining or remaining <= 0) then
    local refused, left, reset = tightest_of(loaded, amount)
    local lowest = tonumber(ARGV[7])
    if refused >= 0 and lowest and lowest < tokens and rate > 0 then
      local fits = math.floor((remaining - input) / rate)
      tokens = math.max(lowest, math.min(fits, tokens))
      amount = cost_of(tokens)
      refused, left, reset = tightest_of(loaded, amount)
    end
    if refused >= 0 then
      return { 'refused', amount, tokens, tightest_reply(refused, left, reset, now) }, false
    end
  end
  keep(amount, tokens)
  -- The same account is still the tightest, because all have lost the same amount.
  return { 'reserved', amount, tokens, tightest_reply(index, remaining - amount, finish, now) }, save
end

local function answer()
  local earlier = hold_at(KEYS[3])
  if not earlier then
    return reserve()
  end
  if earlier.state == SETTLED then
    return { 'closed', 0, 0, -1, 0, -1 }, false
  end
  local index, remaining, finish = tightest_of(loaded)
  return { 'reserved', earlier.amount, earlier.granted, tightest_reply(index, remaining, finish, now) }, save
end

local reply, commit = answer()
if commit == false then
  -- Expired leases are charged even if the request is refused.
  save()
end
return reply, commit
