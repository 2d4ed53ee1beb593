-- Shared by the scripts of sessions that look at what one has spent: the account that the budget scripts charge it to.
local function account_of(ledger)
  return account_in(ledger_at(ledger), 'session')
end

-- A ledger of an earlier life of a session is nobody's any more; the string is for whoever commits to delete.
local function forget_ledger(key)
  ledgers[key] = { accounts = {}, stored = false, changed = false, life_ms = false, life_at_least = false }
end
