-- Shared by the scripts of sessions that look at what one has spent: the account that the budget scripts charge it to.
local function account_of(purse)
  return account_in(purse_at(purse), 'session')
end
