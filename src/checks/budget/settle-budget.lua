#!lua flags=allow-oom
-- Replaces a reservation, or what was charged when its lease ran out, by the real cost, in the windows it was
-- reserved in. Idempotent under the hold's key. May run when Redis is full, because it frees what was held.
--
-- KEYS  1 holds (sorted set)   2 hold (hash)   3.. accounts (hashes)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 real cost in nano-USD (0 releases)
--       3 how long the settled hold is remembered, ms
--       4 '1' charges the cost although Redis has lost the hold; '' on a repeat, which may have been applied before
--       5 alert thresholds in percent, joined by commas
--       then for each account: calendar, limit in nano-USD or '', idle ms
-- reply {applied 1|0, reserved amount, tightest account from 0 or -1, its remainder, ms to its reset or -1,
--        then account, percent for each threshold crossed for the first time in its window}

-- @include accounts.lua

local now = now_ms(ARGV[1])
local cost = tonumber(ARGV[2])
local FIRST_ACCOUNT, FIRST_ARG = 3, 6

local hold = redis.call('HMGET', KEYS[2], 'state', 'amount', 'crossed')
local state, amount = hold[1], tonumber(hold[2] or '0')
local applied = 0

if state == 'held' then
  move(KEYS[2], cost, -amount)
  applied = 1
elseif state == 'charged' then
  move(KEYS[2], cost - amount, 0)
  applied = 1
elseif not state and cost > 0 and ARGV[4] == '1' then
  for i = FIRST_ACCOUNT, #KEYS do
    local arg = FIRST_ARG + (i - FIRST_ACCOUNT) * 3
    local account = load_account(KEYS[i], ARGV[arg], now)
    account.spent = account.spent + cost
    save_account(account, now, ARGV[arg + 2])
  end
  applied = 1
end

if state ~= 'settled' then
  redis.call('HSET', KEYS[2], 'state', 'settled')
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
  redis.call('ZREM', KEYS[1], KEYS[2])
end
settle_expired(KEYS[1], now)

local tightest, crossed = nil, {}
for i = FIRST_ACCOUNT, #KEYS do
  local arg = FIRST_ARG + (i - FIRST_ACCOUNT) * 3
  local limit = tonumber(ARGV[arg + 1])
  if limit then
    local account = load_account(KEYS[i], ARGV[arg], now)
    tightest = tighter(tightest, i - FIRST_ACCOUNT, account, limit)
    if limit > 0 and not account.rolled then
      for percent in string.gmatch(ARGV[5], '%d+') do
        local reached = account.spent * 100 >= limit * tonumber(percent)
        if reached and redis.call('HSETNX', account.key, 'alert:' .. percent, '1') == 1 then
          crossed[#crossed + 1] = tostring(i - FIRST_ACCOUNT)
          crossed[#crossed + 1] = percent
        end
      end
    end
  end
end

-- A repeat reports what the lost first reply reported.
if #crossed > 0 then
  redis.call('HSET', KEYS[2], 'crossed', table.concat(crossed, ','))
elseif state == 'settled' and hold[3] then
  for part in string.gmatch(hold[3], '%d+') do
    crossed[#crossed + 1] = part
  end
end

local index, remaining, reset = tightest_reply(tightest, now)
return { applied, int(amount), index, remaining, reset, unpack(crossed) }
