-- Shared by the scripts that read or write purses. A purse is what was spent and is reserved in accounts that are always
-- read and written together: one string, little endian.
--
--   version (1 byte: 1), number of accounts (1 byte), then for each account: its name (ends with a zero byte), start and
--   end of its window (doubles, Unix ms; without a calendar its first use, and -1; a start of -1 = not opened), spent,
--   reserved (doubles, integer nano-USD), a limit that holds beside the one in ARGV (double; -1 = none), the highest alert
--   threshold that was told in this window (2 bytes, percent)

local PURSE_VERSION, ACCOUNT_LAYOUT = 1, '<sdddddH'

local purses = {}

-- Made with all its members at once: a table that grows is several times as dear. `purse` and what follows is for whoever
-- loads it.
local function new_account(purse, name, start, finish, spent, reserved, limit, told)
  local account = {
    name = name, start = start, finish = finish, spent = spent, reserved = reserved, limit = limit, told = told,
    purse = purse, cap = false, idle_ms = false, turned = false,
  }
  purse.accounts[#purse.accounts + 1] = account
  return account
end

local function account_in(purse, name)
  for _, account in ipairs(purse.accounts) do
    if account.name == name then
      return account
    end
  end
  return new_account(purse, name, -1, -1, 0, 0, -1, 0)
end

-- The same table for the same key, so that all who change a purse in one script change the same one.
local function purse_at(key)
  local purse = purses[key]
  if purse then
    return purse
  end
  local packed = redis.call('GET', key)
  purse = { accounts = {}, stored = packed ~= false, changed = false, life_ms = false, life_at_least = false }
  purses[key] = purse
  if not packed then
    return purse
  end
  local version, count = string.byte(packed, 1, 2)
  if version ~= PURSE_VERSION then
    error('a purse is of a version that this gateway does not know')
  end
  local at, name, start, finish, spent, reserved, limit, told = 3
  for _ = 1, count do
    name, start, finish, spent, reserved, limit, told, at = struct.unpack(ACCOUNT_LAYOUT, packed, at)
    new_account(purse, name, start, finish, spent, reserved, limit, told)
  end
  return purse
end

-- Writes what was changed. A purse with `life_ms` lives that long from now on; with `life_at_least`, no shorter than its
-- owner has put it off already.
local function save_purses()
  for key, purse in pairs(purses) do
    if purse.changed then
      local parts = { string.char(PURSE_VERSION, #purse.accounts) }
      for index, account in ipairs(purse.accounts) do
        parts[index + 1] = struct.pack(
          ACCOUNT_LAYOUT, account.name, account.start, account.finish, account.spent, account.reserved,
          account.limit, account.told
        )
      end
      local packed = table.concat(parts)
      if purse.stored and (purse.life_at_least or not purse.life_ms) then
        redis.call('SET', key, packed, 'KEEPTTL')
        if purse.life_at_least then
          redis.call('PEXPIRE', key, purse.life_ms, 'GT')
        end
      else
        redis.call('SET', key, packed, 'PX', purse.life_ms)
      end
      purse.changed, purse.stored = false, true
    end
  end
end
