-- Part of accounts.lua, where the clock went back: windows begin later than now, or than one that begins anew.

local SHORTENED_PER_CALL = 1024

-- A window that lies more than its own length ahead would shut a key out for longer than it was made for: it ends with the
-- window of now, and keeps what was spent in it. One that is closer stays: else a clock that went over midnight and back
-- would give a day's budget twice.
--
-- A hold stands in the windows that began before it. So a window that begins anew while others lie ahead begins after all of
-- them, as every later hold does; what was reserved in one that is brought back is spent until it ends.
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
  -- Whoever renews a lease does so again: it is worth no more than a new one.
  local long = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. int(now + LEASE), '+inf', 'LIMIT', 0, SHORTENED_PER_CALL)
  for _, key in ipairs(long) do
    leases[#leases + 1] = now + LEASE
    leases[#leases + 1] = key
  end
end
