-- Shared by the budget scripts: the accounts of a request, and holds with expired leases. Everything is read and
-- validated before `save` writes the changes, so a script that fails has changed nothing.
--
-- KEYS[1] contains the key's holds (sorted set of hold keys by lease end). KEYS[2] is the risk profile, whose
-- total_spend includes every charge. The last KEYS are the ledgers. The last ARGV are two values per ledger: the spec
-- of its accounts (see ledger.lua), and its life in ms while unused.
--
-- Constants: LEASE in ms; LATE_TEXT, how long after the end of its lease a hold can be settled, as digits;
-- HOLD_LIFE_TEXT, the sum of both; SPEND_LIFE_TEXT, the life of daily spend records, '' if they are off.

-- @include ../../redis/ledger.lua
-- @include holds.lua

local MAX_NANO_USD = 9000000000000000

local total, leases, leases_over = 0, {}, {}
-- The part of `total` that a settlement charged, its label in the spend records, and the time.
local labelled_cost, label, charged_at = 0, '', 0

-- Returns an account's calendar and, unless it is `none`, the start and end of its window at `now`.
local function window_of(ledger, at, now)
  -- @include windows.lua

  local calendar
  local nth = (at - FIRST) / WIDTH
  for _, of_this in string.gmatch(ledger.spec, SPEC_ENTRY) do
    calendar = of_this
    if nth == 0 then
      break
    end
    nth = nth - 1
  end
  if calendar == 'none' then
    return calendar
  end
  return calendar, window_at(calendar, now)
end

-- Moves an account to its window at `now`. If the clock has gone back, the later window stays, unless it lies more than
-- its own length ahead (see windows-ahead.lua). Without a calendar, the window lasts as long as its ledger. A ledger
-- that was dropped and recreated has a new window, which the reservations of the old one do not affect. A new window is
-- empty, and `turned` until something is added.
local function set_window(ledger, at, now)
  local values = ledger.values
  local calendar, start, finish = window_of(ledger, at, now)
  if calendar == 'none' and values[at + START] >= 0 then
    return
  end
  ledger.turned = ledger.turned or {}
  ledger.turned[at] = true
  values[at + SPENT], values[at + RESERVED], values[at + REPORTED] = 0, 0, 0
  if calendar == 'none' then
    values[at + START] = now
  else
    values[at + START], values[at + FINISH] = start, finish
  end
end

-- Loads the ledgers in KEYS, starting at `key`, with each account in its current window. Their values in ARGV start at
-- `arg`.
local function load_ledgers(key, arg, now)
  local loaded, latest, turned = {}, -1, math.huge
  for nth = 0, #KEYS - key do
    local ledger = ledger_with(KEYS[key + nth], ARGV[arg + 2 * nth])
    local values = ledger.values
    ledger.idle_ms = ARGV[arg + 2 * nth + 1]
    for at = FIRST, ledger.last, WIDTH do
      local start, finish = values[at + START], values[at + FINISH]
      if start > latest then
        latest = start
      end
      -- Usually the window is still open. An account without a calendar has no end.
      if now >= finish and (finish >= 0 or start < 0) then
        set_window(ledger, at, now)
        turned = math.min(turned, values[at + START])
      end
    end
    loaded[nth + 1] = ledger
  end
  if latest > now or latest >= turned then
    -- @include windows-ahead.lua
    bring_back(loaded, latest, now)
  end
  return loaded
end

-- Marks a ledger to be written. The life of a ledger without a calendar is never shortened, because its owner may have
-- extended it after the reservation.
local function touch(ledger)
  ledger.changed, ledger.life_ms = true, ledger.idle_ms
  ledger.life_at_least = ledger.values[ledger.last + FINISH] < 0
end

-- Charges holds with expired leases (see expired-holds.lua). Must run before accounts are loaded. Returns their number.
local function settle_expired(now)
  charged_at = now
  -- Usually no lease has expired, and counting is cheaper than listing.
  if redis.call('ZCOUNT', KEYS[1], '-inf', int(now)) == 0 then
    return 0
  end
  -- @include move-held.lua
  -- @include expired-holds.lua
  return charge_expired(now)
end

local function lease(key, hold, now)
  hold.life_ms = HOLD_LIFE_TEXT
  leases[#leases + 1] = now + LEASE
  leases[#leases + 1] = key
end

-- Writes all changes. The total comes first, because it is the only write that fails on a damaged value.
local function save()
  if total ~= 0 then
    redis.call('HINCRBY', KEYS[2], 'total_spend', total)
  end
  if SPEND_LIFE_TEXT ~= '' and (total ~= 0 or labelled_cost ~= 0) then
    -- @include record-spend.lua
  end
  if #leases_over > 0 then
    redis.call('ZREM', KEYS[1], unpack(leases_over))
  end
  if #leases > 0 then
    redis.call('ZADD', KEYS[1], unpack(leases))
    redis.call('PEXPIRE', KEYS[1], HOLD_LIFE_TEXT)
  end
  save_ledgers()
  save_holds()
end

-- Finds the account with the smallest remainder and, among equals, the longest wait. Considers accounts with a limit
-- or, if `amount` is given, only those of them whose remainder it exceeds or whose limit is spent. The limit is the
-- tighter of the spec's and the ledger's. Returns the account's index (from 0; -1 for none), its remainder, and the end
-- of its window (math.huge if it has no end).
local function tightest_of(loaded, amount)
  local tightest, least, latest, index = -1, math.huge, -1, 0
  for nth = 1, #loaded do
    local values = loaded[nth].values
    for at = FIRST, loaded[nth].last, WIDTH do
      local cap, own, spent = values[at + SPEC_LIMIT], values[at + LIMIT], values[at + SPENT]
      if own >= 0 and (cap < 0 or own < cap) then
        cap = own
      end
      if cap >= 0 then
        local remaining = cap - spent - values[at + RESERVED]
        if remaining <= least and (not amount or spent >= cap or amount > remaining) then
          local finish = values[at + FINISH]
          finish = finish < 0 and math.huge or finish
          if remaining < least or finish > latest then
            tightest, least, latest = index, remaining, finish
          end
        end
      end
      index = index + 1
    end
  end
  return tightest, least, latest
end

-- Returns index (from 0), remainder and ms until the reset; -1 for none.
local function tightest_reply(index, remaining, finish, now)
  if index < 0 then
    return -1, 0, -1
  end
  return index, remaining, finish < math.huge and math.max(0, finish - now) or -1
end
