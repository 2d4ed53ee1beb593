-- Part of accounts.lua, included if the clock has gone back: a window begins later than now, or than a new window.

local SHORTENED_PER_CALL = 1024

-- A window that lies more than its own length ahead would lock a key out for too long. It is shortened to the end of
-- the current window and keeps its spend. A closer window stays, because a clock that passes midnight and goes back
-- would otherwise grant a day's budget twice.
--
-- A hold counts in the windows that began before it. A window that begins while others lie ahead therefore begins after
-- all of them, like every later hold. Reservations in a shortened window count as spent until it ends.
local function bring_back(loaded, latest, now)
  local ahead = {}
  for _, ledger in ipairs(loaded) do
    local values = ledger.values
    for at = FIRST, ledger.last, WIDTH do
      local finish = values[at + FINISH]
      if finish >= 0 and not (ledger.turned and ledger.turned[at]) then
        local _, start, ends = window_of(ledger, at, now)
        if finish > ends + (ends - start) then
          ahead[#ahead + 1] = { ledger = ledger, at = at, ends = ends }
          latest = math.max(latest, finish)
        end
      end
    end
  end
  for _, window in ipairs(ahead) do
    local values, at = window.ledger.values, window.at
    values[at + SPENT], values[at + RESERVED] = values[at + SPENT] + values[at + RESERVED], 0
    values[at + START], values[at + FINISH] = latest + 1, window.ends
    window.ledger.changed = true
  end
  for _, ledger in ipairs(loaded) do
    for at in pairs(ledger.turned or {}) do
      ledger.values[at + START] = math.max(ledger.values[at + START], latest + 1)
    end
  end
  -- No lease may last longer than a new one; running calls renew theirs anyway.
  local long = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. int(now + LEASE), '+inf', 'LIMIT', 0, SHORTENED_PER_CALL)
  for _, key in ipairs(long) do
    leases[#leases + 1] = now + LEASE
    leases[#leases + 1] = key
  end
end
