-- Part of accounts.lua, included if leases have expired.

local EXPIRED_PER_CALL = 64

-- Charges at most EXPIRED_PER_CALL holds at their full amount. Returns their number.
local function charge_expired(now)
  local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', int(now), 'LIMIT', 0, EXPIRED_PER_CALL)
  for _, key in ipairs(expired) do
    local hold = hold_at(key)
    if hold and hold.state == HELD then
      move(hold, hold.amount, -hold.amount)
      total = total + hold.amount
      hold.state, hold.life_ms = CHARGED, LATE_TEXT
    end
    leases_over[#leases_over + 1] = key
  end
  -- Other parts of the script may write before `save`, so `save` must not fail.
  local spent = total ~= 0 and redis.call('HGET', KEYS[2], 'total_spend') or '0'
  if spent ~= '0' and (#spent > 18 or not string.find(spent, '^%-?[1-9]%d*$')) then
    error('the spend of a risk profile is damaged')
  end
  return #expired
end
