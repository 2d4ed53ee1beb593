#!lua flags=allow-oom
-- Replaces a reservation, or what was charged when its lease ran out, by the real cost, in the windows it was
-- reserved in. Idempotent under the hold's key. May run when Redis is full, because it frees what was held.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (string)   4.. ledgers (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 real cost in nano-USD (0 releases)
--       3 how long the settled hold is remembered, ms
--       4 '1' charges the cost although Redis has lost the hold; '' on a repeat, which may have been applied before
--       5 alert thresholds in percent, joined by commas
--       6.. accounts
-- reply {applied 1|0, reserved amount, tightest account from 0 or -1, its remainder, ms to its reset or -1,
--        spent of the account without a calendar or '-1', then account, percent for each threshold crossed for the
--        first time in its window}

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local cost = tonumber(ARGV[2])

settle_expired(now)

local hold = hold_at(KEYS[3])
local state, amount = hold and hold.state, hold and hold.amount or 0
local lost = not hold and cost > 0 and ARGV[4] == '1'
local applied = state == HELD or state == CHARGED or lost

local accounts = load_accounts(6, now)

-- Where the hold was lost, the windows of today are charged; a session that was ended stays ended all the same.
local function is_charged(account)
  if lost then
    return not account.turned or account.finish >= 0
  end
  return not account.turned and stands_in(hold, account)
end

if applied then
  local spent = cost - (state == CHARGED and amount or 0)
  local reserved = state == HELD and -amount or 0
  total = total + spent
  for _, account in ipairs(accounts) do
    if is_charged(account) then
      add(account, spent, reserved)
    end
  end
end

local percents = {}
for percent in string.gmatch(ARGV[5], '%d+') do
  percents[#percents + 1] = tonumber(percent)
end

-- The thresholds that an account has reached and that were not told of in this window.
local function crossings(account)
  local reached = {}
  for _, percent in ipairs(percents) do
    if account.cap > 0 and account.spent * 100 >= account.cap * percent and percent > account.told then
      reached[#reached + 1] = percent
    end
  end
  if #reached > 0 then
    account.told = math.max(unpack(reached))
    account.ledger.changed = true
  end
  return reached
end

local tightest, lasting, crossed = nil, '-1', {}
for index, account in ipairs(accounts) do
  if account.finish < 0 and not account.turned then
    lasting = int(account.spent)
  end
  if account.cap then
    tightest = tighter(tightest, account)
  end
  -- Thresholds are of the operator's limits; one without a calendar is a client's own.
  if account.cap and account.finish >= 0 then
    for _, percent in ipairs(crossings(account)) do
      crossed[#crossed + 1] = tostring(index - 1)
      crossed[#crossed + 1] = tostring(percent)
    end
  end
end

if state == SETTLED then
  -- A repeat reports what the lost first reply reported.
  for part in string.gmatch(hold.crossed, '%d+') do
    crossed[#crossed + 1] = part
  end
else
  hold = hold or keep_hold(KEYS[3], SETTLED, 0, 0, 0, '', {})
  hold.state, hold.crossed, hold.life_ms = SETTLED, table.concat(crossed, ','), ARGV[3]
  leases_over[#leases_over + 1] = KEYS[3]
end

local index, remaining, reset = tightest_reply(accounts, tightest, now)
return { applied and 1 or 0, int(amount), index, remaining, reset, lasting, unpack(crossed) }, save
