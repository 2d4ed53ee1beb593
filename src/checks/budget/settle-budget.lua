#!lua flags=allow-oom
-- Replaces a reservation, or the charge of its expired lease, with the actual cost, in the windows of the reservation.
-- Idempotent by the hold's key. May run when Redis is full, because it frees memory.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3 hold (string)   4.. ledgers (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 actual cost in nano-USD (0 releases the reservation)
--       3 '1' charges the cost even if Redis has lost the hold; '' for a repeat, which may have been applied before
--       4 label in the spend records
--       5.. see accounts.lua
-- constants SETTLED_LIFE_TEXT: life of a settled hold, ms as digits. ALERT_PERCENTS: thresholds separated by commas;
--       LEAST_PERCENT is the first one
-- reply {applied 1|0, reserved amount, index of the tightest account or -1, its remainder, ms until its reset or -1,
--        spend of the account without a calendar or -1, then account and percent of each threshold that was crossed
--        for the first time in its window}

-- @include ../../redis/clock.lua
-- @include accounts.lua

local now = now_ms(ARGV[1])
local cost = tonumber(ARGV[2])

settle_expired(now)

local hold = hold_at(KEYS[3])
local state, amount = hold and hold.state, hold and hold.amount or 0
local lost = not hold and cost > 0 and ARGV[3] == '1'
local applied = state == HELD or state == CHARGED or lost

local loaded = load_ledgers(4, 5, now)

local function charge()
  local spent = cost - (state == CHARGED and amount or 0)
  local reserved = state == HELD and -amount or 0
  -- If the hold is lost, the current windows are charged. An ended session stays ended.
  local reserved_at = lost and math.huge or hold.reserved_at
  total = total + spent
  labelled_cost, label = cost, ARGV[4]
  for nth = 1, #loaded do
    local ledger, is_charged = loaded[nth], false
    local values, turned = ledger.values, ledger.turned
    for at = FIRST, ledger.last, WIDTH do
      local start, has_turned = values[at + START], turned and turned[at]
      if start >= 0 and start <= reserved_at and (not has_turned or lost and values[at + FINISH] >= 0) then
        values[at + SPENT], values[at + RESERVED] = values[at + SPENT] + spent, values[at + RESERVED] + reserved
        is_charged = true
        if has_turned then
          turned[at] = nil
        end
      end
    end
    if is_charged then
      touch(ledger)
    end
  end
end

-- Returns the thresholds that an account has reached and that have not yet been reported in this window.
local function crossings(ledger, at, cap)
  local values, reached = ledger.values, {}
  for percent in string.gmatch(ALERT_PERCENTS, '%d+') do
    percent = tonumber(percent)
    if values[at + SPENT] * 100 >= cap * percent and percent > values[at + REPORTED] then
      reached[#reached + 1] = percent
    end
  end
  if #reached > 0 then
    values[at + REPORTED] = math.max(unpack(reached))
    ledger.changed = true
  end
  return reached
end

if applied then
  charge()
end

local lasting, crossed, index = -1, {}, 0
for nth = 1, #loaded do
  local ledger = loaded[nth]
  local values = ledger.values
  for at = FIRST, ledger.last, WIDTH do
    local spent = values[at + SPENT]
    if values[at + FINISH] < 0 then
      if not (ledger.turned and ledger.turned[at]) then
        lasting = spent
      end
    else
      -- Thresholds apply to operators' limits. Clients set the limits of accounts without a calendar.
      local cap = values[at + SPEC_LIMIT]
      if cap > 0 and spent * 100 >= cap * LEAST_PERCENT then
        for _, percent in ipairs(crossings(ledger, at, cap)) do
          crossed[#crossed + 1] = index
          crossed[#crossed + 1] = percent
        end
      end
    end
    index = index + 1
  end
end

if state == SETTLED then
  -- A repeat reports the thresholds of the lost first reply.
  for part in string.gmatch(hold.crossed, '%d+') do
    crossed[#crossed + 1] = tonumber(part)
  end
else
  hold = hold or keep_hold(KEYS[3], SETTLED, 0, 0, 0, '', '')
  hold.state, hold.crossed, hold.life_ms = SETTLED, table.concat(crossed, ','), SETTLED_LIFE_TEXT
  leases_over[#leases_over + 1] = KEYS[3]
end

local tightest, remaining, finish = tightest_of(loaded)
local place, left, reset = tightest_reply(tightest, remaining, finish, now)
return { applied and 1 or 0, amount, place, left, reset, lasting, crossed }, save
