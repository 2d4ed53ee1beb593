-- Shared by scripts that read or write ledgers. A ledger contains the spend and reservations of accounts that are
-- always read and written together: one string, little endian.
--
--   version (1 byte: 2), number of accounts (1 byte), length of its spec (2 bytes), then seven doubles for each
--   account: start and end of its window (Unix ms; without a calendar the first use, and -1; a start of -1 = not
--   opened), spent, reserved (integer nano-USD), a limit in addition to that of its spec (-1 = none), the highest alert
--   threshold reported in this window (percent), the limit of its spec (-1 = none); then the spec
--
-- A spec lists the accounts in order: name, calendar (minute|hour|day|week|month|none) and limit in nano-USD (or
-- nothing), separated by spaces, with a semicolon after each account. It is compared with the caller's as a whole, and
-- parsed only if they differ, which is rare.

local LEDGER_VERSION, LEDGER_HEAD, ACCOUNT_LAYOUT, SPEC_ENTRY = 2, '<BBH', 'ddddddd', '(%S+) (%S+) (%d*);'
-- A ledger's `values` are three values from its head, then these for each account.
local FIRST, WIDTH = 3, 7
-- A ledger's life is extended once its remaining share falls below this.
local LIFE_KEPT = 1 - 1 / 64
local START, FINISH, SPENT, RESERVED, LIMIT, REPORTED, SPEC_LIMIT = 1, 2, 3, 4, 5, 6, 7

local ledgers = {}

-- Tables are created with all their members, because growing them costs several times as much. The loading script sets
-- `idle_ms` and the members after it.
local function new_ledger(values, spec, stored)
  return {
    values = values, spec = spec, stored = stored, changed = false, last = FIRST + (values[2] - 1) * WIDTH,
    idle_ms = false, turned = false, life_ms = false, life_at_least = false, owner_ms = false,
  }
end

-- Returns the same table for the same key, so that all parts of a script change the same ledger.
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

-- Returns the position of an account's values, or nil.
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

-- Returns the ledger with the accounts of this spec, from FIRST to `last`.
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

-- Writes changed ledgers. A ledger with `life_ms` lives this long after its creation or the last start of a window;
-- with `life_at_least`, also for at least about this long from now; with `owner_ms`, as long as its owner.
local function save_ledgers()
  for key, ledger in pairs(ledgers) do
    if ledger.changed then
      write_ledger(key, ledger)
      ledger.changed, ledger.stored = false, true
    end
  end
end
