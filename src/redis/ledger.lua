-- Shared by the scripts that read or write ledgers. A ledger is what was spent and is reserved in accounts that are always
-- read and written together: one string, little endian.
--
--   version (1 byte: 1), number of accounts (1 byte), then for each account: its name (ends with a zero byte), start and
--   end of its window (doubles, Unix ms; without a calendar its first use, and -1; a start of -1 = not opened), spent,
--   reserved (doubles, integer nano-USD), a limit that holds beside the one in ARGV (double; -1 = none), the highest alert
--   threshold that was told in this window (2 bytes, percent)

local LEDGER_VERSION, ACCOUNT_LAYOUT = 1, '<sdddddH'

local ledgers = {}

-- Made with all its members at once: a table that grows is several times as dear. `ledger` and what follows is for whoever
-- loads it.
local function new_account(ledger, name, start, finish, spent, reserved, limit, told)
  local account = {
    name = name, start = start, finish = finish, spent = spent, reserved = reserved, limit = limit, told = told,
    ledger = ledger, cap = false, idle_ms = false, turned = false,
  }
  ledger.accounts[#ledger.accounts + 1] = account
  return account
end

local function account_in(ledger, name)
  for _, account in ipairs(ledger.accounts) do
    if account.name == name then
      return account
    end
  end
  return new_account(ledger, name, -1, -1, 0, 0, -1, 0)
end

-- The same table for the same key, so that all who change a ledger in one script change the same one.
local function ledger_at(key)
  local ledger = ledgers[key]
  if ledger then
    return ledger
  end
  local packed = redis.call('GET', key)
  ledger = { accounts = {}, stored = packed ~= false, changed = false, life_ms = false, life_at_least = false }
  ledgers[key] = ledger
  if not packed then
    return ledger
  end
  local version, count = string.byte(packed, 1, 2)
  if version ~= LEDGER_VERSION then
    error('a ledger is of a version that this gateway does not know')
  end
  local at, name, start, finish, spent, reserved, limit, told = 3
  for _ = 1, count do
    name, start, finish, spent, reserved, limit, told, at = struct.unpack(ACCOUNT_LAYOUT, packed, at)
    new_account(ledger, name, start, finish, spent, reserved, limit, told)
  end
  return ledger
end

-- Writes what was changed. A ledger with `life_ms` lives that long from now on; with `life_at_least`, no shorter than its
-- owner has put it off already.
local function save_ledgers()
  for key, ledger in pairs(ledgers) do
    if ledger.changed then
      local parts = { string.char(LEDGER_VERSION, #ledger.accounts) }
      for index, account in ipairs(ledger.accounts) do
        parts[index + 1] = struct.pack(
          ACCOUNT_LAYOUT, account.name, account.start, account.finish, account.spent, account.reserved,
          account.limit, account.told
        )
      end
      local packed = table.concat(parts)
      if ledger.stored and (ledger.life_at_least or not ledger.life_ms) then
        redis.call('SET', key, packed, 'KEEPTTL')
        if ledger.life_at_least then
          redis.call('PEXPIRE', key, ledger.life_ms, 'GT')
        end
      else
        redis.call('SET', key, packed, 'PX', ledger.life_ms)
      end
      ledger.changed, ledger.stored = false, true
    end
  end
end
