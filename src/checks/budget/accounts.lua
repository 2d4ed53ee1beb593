-- Shared by the budget scripts: the accounts that ARGV names, and holds whose lease ran out. Everything is read, and found
-- whole, before `save` writes what was changed: a script that fails has changed nothing.
--
-- In ARGV an account is five values: index of its ledger in KEYS, name, calendar (minute|hour|day|week|month|none),
-- limit in nano-USD or '', life in ms of a ledger that is not used. What is charged also joins total_spend of the risk
-- profile, KEYS[2] of every script; KEYS[1] are the key's holds (sorted set of hold keys by the time their lease ends).

-- @include ../../redis/ledger.lua
-- @include windows.lua
-- @include holds.lua

-- How long a settlement may come after its lease ran out.
local LATE_MS = 3600000
local EXPIRED_PER_CALL = 64
local MAX_NANO_USD = 9000000000000000

local total, leases, leases_over = 0, {}, {}

-- Sets an account to its window as of `now`. A window rolls forward only: when the clock goes back, the later one stays.
-- Without a calendar it lasts as long as its ledger: a ledger that was dropped and is used again is another window, so that
-- what was reserved in the first never moves the second. What has turned is empty, and `turned` until something is added.
local function set_window(account, calendar, now)
  local runs
  if calendar == 'none' then
    runs = account.start >= 0
  else
    runs = now < account.finish
  end
  if runs then
    return
  end
  account.turned, account.spent, account.reserved, account.told = true, 0, 0, 0
  if calendar == 'none' then
    account.start = now
  else
    account.start, account.finish = window_at(calendar, now)
  end
end

-- Reads the accounts that ARGV names from `first` on, in order. `cap` of an account is the limit in ARGV or the one that
-- stands in its ledger, whichever is tighter; nil where there is none.
local function load_accounts(first, now)
  local accounts = {}
  for arg = first, #ARGV, 5 do
    local ledger = ledger_at(KEYS[tonumber(ARGV[arg])])
    local account = account_in(ledger, ARGV[arg + 1])
    local cap = tonumber(ARGV[arg + 3])
    if account.limit >= 0 and not (cap and cap <= account.limit) then
      cap = account.limit
    end
    account.cap, account.idle_ms = cap, ARGV[arg + 4]
    set_window(account, ARGV[arg + 2], now)
    accounts[#accounts + 1] = account
  end
  return accounts
end

-- Adds to an account. The ledger of one without a calendar is never given less life than it has: its owner may have put
-- its end off since the amount was reserved.
local function add(account, spent, reserved)
  local ledger = account.ledger
  account.spent, account.reserved, account.turned = account.spent + spent, account.reserved + reserved, false
  ledger.changed, ledger.life_ms, ledger.life_at_least = true, account.idle_ms, account.finish < 0
end

-- Moves money in the accounts that a hold stands in; a window that has turned since is left alone. Comes before accounts
-- are loaded.
local function move(hold, spent, reserved)
  for _, key in ipairs(hold.ledgers) do
    local ledger = ledger_at(key)
    for _, account in ipairs(ledger.accounts) do
      if stands_in(hold, account) then
        account.spent, account.reserved = account.spent + spent, account.reserved + reserved
        ledger.changed = true
      end
    end
  end
end

-- Charges holds whose lease ran out at their full amount; at most EXPIRED_PER_CALL. Comes before accounts are loaded.
-- Returns how many it found.
local function settle_expired(now)
  local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', int(now), 'LIMIT', 0, EXPIRED_PER_CALL)
  for _, key in ipairs(expired) do
    local hold = hold_at(key)
    if hold and hold.state == HELD then
      move(hold, hold.amount, -hold.amount)
      total = total + hold.amount
      hold.state, hold.life_ms = CHARGED, LATE_MS
    end
    leases_over[#leases_over + 1] = key
  end
  return #expired
end

-- Puts off the end of a hold's lease.
local function lease(key, hold, now, lease_ms)
  hold.life_ms = lease_ms + LATE_MS
  leases.life_ms = hold.life_ms
  leases[#leases + 1] = int(now + lease_ms)
  leases[#leases + 1] = key
end

-- Writes what was changed. The total first: it is the one write that a damaged value can fail.
local function save()
  if total ~= 0 then
    redis.call('HINCRBY', KEYS[2], 'total_spend', int(total))
  end
  if #leases_over > 0 then
    redis.call('ZREM', KEYS[1], unpack(leases_over))
  end
  if #leases > 0 then
    redis.call('ZADD', KEYS[1], unpack(leases))
    redis.call('PEXPIRE', KEYS[1], int(leases.life_ms))
  end
  save_ledgers()
  save_holds()
end

local function remaining_of(account)
  return account.cap - account.spent - account.reserved
end

-- The account of least remainder, then of the longest wait; `index` is from 1.
local function tighter(best, account)
  if not best then
    return account
  end
  local remaining, least = remaining_of(account), remaining_of(best)
  if remaining ~= least then
    return remaining < least and account or best
  end
  return account.finish < 0 and best.finish >= 0 and account
    or account.finish > best.finish and best.finish >= 0 and account
    or best
end

-- index (from 0), remaining, ms until reset; -1 where there is none.
local function tightest_reply(accounts, best, now)
  for index, account in ipairs(accounts) do
    if account == best then
      return index - 1, int(remaining_of(best)), best.finish >= 0 and math.max(0, best.finish - now) or -1
    end
  end
  return -1, '0', -1
end
