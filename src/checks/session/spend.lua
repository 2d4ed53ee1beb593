-- Shared by the session scripts that read spend: the account that the budget scripts charge.
local SPENT_SPEC = 'session none ;'

local function spent_in(key)
  local ledger = ledger_at(key)
  local at = ledger.spec == SPENT_SPEC and FIRST or account_at(ledger, 'session')
  return at and ledger.values[at + SPENT] or 0
end

-- Sets a limit in addition to that of the reservations; `life_ms` is for a new ledger. Returns the ledger. The caller
-- marks it as changed, because it must be written after its session.
local function limit_spending(key, limit, life_ms)
  local ledger = ledger_at(key)
  if not account_at(ledger, 'session') then
    -- @include ../../redis/ledger-spec.lua
    respec(ledger, SPENT_SPEC)
  end
  ledger.values[account_at(ledger, 'session') + LIMIT] = limit
  ledger.life_ms = life_ms
  return ledger
end

-- Discards the ledger of an ended session with the same name. The caller deletes the stored string.
local function forget_ledger(key)
  ledgers[key] = new_ledger({ LEDGER_VERSION, 0, 0 }, '', false)
end
