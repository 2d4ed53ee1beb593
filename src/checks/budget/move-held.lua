-- Part of accounts.lua, and of scripts that renew leases.

-- Moves money in the accounts in which a hold counts, except in windows that have turned since. Must run before
-- accounts are loaded.
local function move(hold, spent, reserved)
  for key in string.gmatch(hold.ledgers, '[^%z]+') do
    local ledger = ledger_at(key)
    local values = ledger.values
    for at = FIRST, ledger.last, WIDTH do
      local start = values[at + START]
      if start >= 0 and start <= hold.reserved_at then
        values[at + SPENT], values[at + RESERVED] = values[at + SPENT] + spent, values[at + RESERVED] + reserved
        ledger.changed = true
      end
    end
  end
end
