-- Shared by the scripts of sessions that look at what one has spent: the account that the budget scripts charge it to.
local SPENT_SPEC = 'session none ;'

local function spent_in(key)
  local ledger = ledger_at(key)
  local at = ledger.spec == SPENT_SPEC and FIRST or account_at(ledger, 'session')
  return at and ledger.values[at + SPENT] or 0
end

-- A limit that holds beside that of whoever reserves; `life_ms` where the ledger is a new one. Returns the ledger: it is
-- written once its session is, so whoever commits says that it was changed.
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

-- A ledger of an earlier life of a session is nobody's any more; the string is for whoever commits to delete.
local function forget_ledger(key)
  ledgers[key] = new_ledger({ LEDGER_VERSION, 0, 0 }, '', false)
end
