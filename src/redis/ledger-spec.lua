-- Part of ledger.lua, and of scripts that set a limit in a ledger.

-- Reorders the accounts by another spec, and applies its limits. Accounts that the spec does not list come last.
local function respec(ledger, spec)
  local old, values, named = ledger.values, { LEDGER_VERSION, 0, 0 }, {}
  local function take(at, limit)
    for nth = 1, WIDTH - 1 do
      values[#values + 1] = at and old[at + nth] or ((nth == SPENT or nth == RESERVED or nth == REPORTED) and 0 or -1)
    end
    values[#values + 1] = limit
  end
  for name, _, limit in string.gmatch(spec, SPEC_ENTRY) do
    named[name] = true
    take(account_at(ledger, name), tonumber(limit) or -1)
  end
  local last, others = #values - WIDTH, {}
  for entry, name in string.gmatch(ledger.spec, '((%S+) [^;]*;)') do
    if not named[name] then
      local at = account_at(ledger, name)
      take(at, old[at + SPEC_LIMIT])
      others[#others + 1] = entry
    end
  end
  values[2] = (#values - FIRST) / WIDTH
  ledger.values, ledger.spec, ledger.last = values, spec .. table.concat(others), last
end
