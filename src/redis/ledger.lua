-- Shared by the scripts that read or write ledgers. A ledger is what was spent and is reserved in accounts that are always
-- read and written together: one string, little endian.
--
--   version (1 byte: 2), number of accounts (1 byte), length of its spec (2 bytes), then seven doubles for each account:
--   start and end of its window (Unix ms; without a calendar its first use, and -1; a start of -1 = not opened), spent,
--   reserved (integer nano-USD), a limit that holds beside the one in its spec (-1 = none), the highest alert threshold that
--   was told in this window (percent), the limit in its spec (-1 = none); and the spec
--
-- A spec says which accounts there are, in their order: name, calendar (minute|hour|day|week|month|none), a limit in
-- nano-USD or nothing; a space between them, a semicolon after each account. It is compared as a whole with that of whoever
-- asks, which is most often the same one: then nothing of it needs to be read.

local LEDGER_VERSION, LEDGER_HEAD, ACCOUNT_LAYOUT, SPEC_ENTRY = 2, '<BBH', 'ddddddd', '(%S+) (%S+) (%d*);'
-- `values` of a ledger has three of its head, and then these of each account.
local FIRST, WIDTH = 3, 7
-- Of its life this much may have gone by before it is put off.
local LIFE_KEPT = 1 - 1 / 64
local START, FINISH, SPENT, RESERVED, LIMIT, TOLD, SPEC_LIMIT = 1, 2, 3, 4, 5, 6, 7

local ledgers = {}

-- Tables are made with all their members at once: one that grows is several times as dear. `named` and what follows is for
-- whoever loads it.
local function new_ledger(values, spec, stored)
  return {
    values = values, spec = spec, stored = stored, changed = false, last = FIRST + (values[2] - 1) * WIDTH,
    idle_ms = false, turned = false, life_ms = false, life_at_least = false, owner_ms = false,
  }
end

-- The same table for the same key, so that all who change a ledger in one script change the same one.
local function ledger_at(key)
  local ledger = ledgers[key]
  if ledger then
    return ledger
  end
  local packed = redis.call('GET', key)
  if packed then
    local version, count = string.byte(packed, 1, 2)
    if version ~= LEDGER_VERSION then
      error('UNKNOWN_FORM ledger ' .. version)
    end
    local values = { struct.unpack(LEDGER_HEAD .. string.rep(ACCOUNT_LAYOUT, count), packed) }
    local spec = string.sub(packed, values[FIRST + count * WIDTH + 1])
    if #spec ~= values[3] then
      error('a ledger is damaged')
    end
    ledger = new_ledger(values, spec, true)
  else
    ledger = new_ledger({ LEDGER_VERSION, 0, 0 }, '', false)
  end
  ledgers[key] = ledger
  return ledger
end

-- Where the values of an account begin, nil where there is none.
local function account_at(ledger, name)
  local at = FIRST
  for other in string.gmatch(ledger.spec, SPEC_ENTRY) do
    if other == name then
      return at
    end
    at = at + WIDTH
  end
  return nil
end

-- With the accounts of this spec, which lie from FIRST to `last`.
local function ledger_with(key, spec)
  local ledger = ledger_at(key)
  if ledger.spec ~= spec then
    -- @include ledger-spec.lua
    respec(ledger, spec)
  end
  return ledger
end

local function write_ledger(key, ledger)
  local values, spec = ledger.values, ledger.spec
  local count = values[2]
  local last = FIRST + count * WIDTH + 1
  values[3], values[last] = #spec, spec
  local packed = struct.pack(LEDGER_HEAD .. string.rep(ACCOUNT_LAYOUT, count) .. 'c0', unpack(values, 1, last))
  local life_ms, keeps = ledger.life_ms, ledger.stored
  if ledger.owner_ms then
    life_ms, keeps = ledger.owner_ms, false
  elseif keeps and life_ms then
    if ledger.life_at_least then
      keeps = redis.call('PTTL', key) >= life_ms * LIFE_KEPT
    else
      keeps = not ledger.turned
    end
  end
  if keeps then
    redis.call('SET', key, packed, 'KEEPTTL')
  else
    redis.call('SET', key, packed, 'PX', life_ms)
  end
end

-- Writes what was changed. A ledger with `life_ms` lives that long from now on, or from when a window turned in it; with
-- `life_at_least`, no shorter than its owner has put it off already; with `owner_ms`, as long as its owner does from now on.
local function save_ledgers()
  for key, ledger in pairs(ledgers) do
    if ledger.changed then
      write_ledger(key, ledger)
      ledger.changed, ledger.stored = false, true
    end
  end
end
