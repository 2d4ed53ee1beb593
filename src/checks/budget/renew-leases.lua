#!lua
-- Extends the leases of one key's running requests. A hold that was charged because its lease expired (a stalled
-- worker, a Redis outage) becomes a reservation again.
--
-- KEYS  1 holds (sorted set)   2 risk profile (hash)   3.. holds (strings)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
-- reply 1|0 for each hold: 0 if it is settled or lost

-- @include ../../redis/clock.lua
-- @include accounts.lua
-- @include move-held.lua

local now = now_ms(ARGV[1])

-- Must run first, so that holds that it charges become reservations again below.
settle_expired(now)

local named = {}
for i = 3, #KEYS do
  named[i] = hold_at(KEYS[i])
end

local renewed = {}
for i = 3, #KEYS do
  local hold = named[i]
  if hold and hold.state == CHARGED then
    move(hold, -hold.amount, hold.amount)
    total = total - hold.amount
    hold.state = HELD
  end
  local held = hold and hold.state == HELD
  if held then
    lease(KEYS[i], hold, now)
  end
  renewed[#renewed + 1] = held and 1 or 0
end

save()
return renewed
