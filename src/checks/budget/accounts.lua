-- Shared by the budget scripts: the accounts that are asked for, and holds whose lease ran out. Everything is read, and found
-- whole, before `save` writes what was changed: a script that fails has changed nothing.
--
-- KEYS end with the ledgers, ARGV with two values for each of them: the spec of its accounts (see ledger.lua), and the life
-- in ms of a ledger that is not used. What is charged also joins total_spend of the risk profile, KEYS[2] of every script;
-- KEYS[1] are the key's holds (sorted set of hold keys by the time their lease ends).
--
-- Constants: LEASE in ms, LATE_TEXT, how long a settlement may come after its lease ran out, and HOLD_LIFE_TEXT, both
-- together, in digits; SPEND_LIFE_TEXT, how long the spend of a day is kept, '' where none is recorded.

-- @include ../../redis/ledger.lua
-- @include holds.lua

local MAX_NANO_USD = 9000000000000000

local total, leases, leases_over = 0, {}, {}
-- The part of `total` that a settlement charged, what it was spent for, and the time.
local labelled_cost, label, charged_at = 0, '', 0

-- Calendar of an account, and start and end of its window as of `now`, of which one without a calendar has none.
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

-- Sets an account to its window as of `now`. A window rolls forward only: when the clock goes back, the later one stays, unless
-- it lies more than its own length ahead (see windows-ahead.lua).
-- Without a calendar it lasts as long as its ledger: a ledger that was dropped and is used again is another window, so that
-- what was reserved in the first never moves the second. What has turned is empty, and `turned` until something is added.
local function set_window(ledger, at, now)
  local values = ledger.values
  local calendar, start, finish = window_of(ledger, at, now)
  if calendar == 'none' and values[at + START] >= 0 then
    return
  end
  ledger.turned = ledger.turned or {}
  ledger.turned[at] = true
  values[at + SPENT], values[at + RESERVED], values[at + TOLD] = 0, 0, 0
  if calendar == 'none' then
    values[at + START] = now
  else
    values[at + START], values[at + FINISH] = start, finish
  end
end

-- The ledgers in KEYS from `key` on, each account in its window; what ARGV says of them begins at `arg`.
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
      -- Most often it runs; one without a calendar has no end.
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

-- To be written. A ledger without a calendar is never given less life than it has: its owner may have put its end off since
-- the amount was reserved.
local function touch(ledger)
  ledger.changed, ledger.life_ms = true, ledger.idle_ms
  ledger.life_at_least = ledger.values[ledger.last + FINISH] < 0
end

-- Charges holds whose lease ran out, see expired-holds.lua. Comes before accounts are loaded. Returns how many it found.
local function settle_expired(now)
  charged_at = now
  -- Most often there are none, and counting is cheaper than listing.
  if redis.call('ZCOUNT', KEYS[1], '-inf', int(now)) == 0 then
    return 0
  end
  -- @include move-held.lua
  -- @include expired-holds.lua
  return charge_expired(now)
end

-- Puts off the end of a hold's lease.
local function lease(key, hold, now)
  hold.life_ms = HOLD_LIFE_TEXT
  leases[#leases + 1] = now + LEASE
  leases[#leases + 1] = key
end

-- Writes what was changed. The total first: it is the one write that a damaged value can fail.
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

-- Of the accounts with a limit, or of those that `amount` does not fit in: the one of least remainder, then of the longest
-- wait. Its limit is the one in its spec or the one that stands in its ledger, whichever is tighter.
-- Returns its index (from 0; -1 where there is none), its remainder, the end of its window (math.huge without one).
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

-- index (from 0), remaining, ms until reset; -1 where there is none.
local function tightest_reply(index, remaining, finish, now)
  if index < 0 then
    return -1, 0, -1
  end
  return index, remaining, finish < math.huge and math.max(0, finish - now) or -1
end
