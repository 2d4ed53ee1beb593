#!lua flags=allow-oom
-- Replaces a reservation, or what was charged when its lease ran out, by the real cost, in the windows it was
-- reserved in. Idempotent under the hold's key. May run when Redis is full, because it frees what was held.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (hash)   4.. purses (hashes)
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

settle_expired(KEYS[1], now)

local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'crossed', unpack(KEYS, 4))
local state, amount = hold[1], tonumber(hold[2] or '0')
local lost = not state and cost > 0 and ARGV[4] == '1'
local applied = (state == 'held' or state == 'charged' or lost) and 1 or 0

local accounts, purses = load_accounts(6, now)

if applied == 1 then
  local spent = cost - (state == 'charged' and amount or 0)
  local reserved = state == 'held' and -amount or 0
  add_total(spent)
  for i = 4, #KEYS do
    local windows = ';' .. (hold[i] or '') .. ';'
    local standing = {}
    for _, account in ipairs(purses[KEYS[i]] or {}) do
      local mine = ';' .. account.name .. '=' .. account.start .. ';'
      -- A session that was ended stays ended, also where Redis has lost the hold.
      local open = not account.rolled or account.calendar ~= 'none'
      if (lost and open) or (not account.rolled and string.find(windows, mine, 1, true)) then
        standing[#standing + 1] = account
      end
    end
    add(KEYS[i], standing, spent, reserved)
  end
end

-- The thresholds that an account has reached and that were not told of in this window.
local function crossings(account)
  local told, reached = nil, {}
  for percent in string.gmatch(ARGV[5], '%d+') do
    percent = tonumber(percent)
    if account.limit > 0 and account.spent * 100 >= account.limit * percent then
      if not told then
        local mark = redis.call('HGET', account.purse, account.name .. ':alerted') or ''
        told = tonumber(string.match(mark, '^' .. account.start .. ':(%d+)$') or '0')
      end
      if percent > told then
        reached[#reached + 1] = percent
      end
    end
  end
  if #reached > 0 then
    local highest = math.max(unpack(reached))
    redis.call('HSET', account.purse, account.name .. ':alerted', account.start .. ':' .. highest)
  end
  return reached
end

local tightest, lasting, crossed = nil, '-1', {}
for index, account in ipairs(accounts) do
  if account.calendar == 'none' and not account.rolled then
    lasting = int(account.spent)
  end
  if account.limit then
    tightest = tighter(tightest, index - 1, account)
  end
  -- Thresholds are of the operator's limits; one without a calendar is a client's own.
  if account.limit and account.finish then
    for _, percent in ipairs(crossings(account)) do
      crossed[#crossed + 1] = tostring(index - 1)
      crossed[#crossed + 1] = tostring(percent)
    end
  end
end

if state ~= 'settled' then
  redis.call('HSET', KEYS[3], 'state', 'settled', 'crossed', table.concat(crossed, ','))
  redis.call('PEXPIRE', KEYS[3], ARGV[3])
  redis.call('ZREM', KEYS[1], KEYS[3])
elseif hold[3] then
  -- A repeat reports what the lost first reply reported.
  for part in string.gmatch(hold[3], '%d+') do
    crossed[#crossed + 1] = part
  end
end

local index, remaining, reset = tightest_reply(tightest, now)
return { applied, int(amount), index, remaining, reset, lasting, unpack(crossed) }
