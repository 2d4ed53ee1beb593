-- Shared by the budget scripts. A hold is one reservation, stored as one string, little endian:
--
--   version (1 byte: 2), state (1 byte: see below), amount in nano-USD, granted tokens, time of the reservation in Unix
--   ms (three doubles), the lengths of the two texts that follow (2 bytes each): thresholds crossed at its settlement;
--   keys of its ledgers, separated by zero bytes, until it is settled
--
-- A hold counts in the windows that had begun when it was reserved. The ledger keys have the caller's hash tag, so all
-- keys of a script are in one slot.

local HOLD_VERSION, HOLD_LAYOUT = 2, '<BBdddHH'
local HELD, CHARGED, SETTLED = 1, 2, 3

local holds = {}

local function keep_hold(key, state, amount, granted, reserved_at, crossed, ledger_keys)
  local hold = {
    state = state, amount = amount, granted = granted, reserved_at = reserved_at, crossed = crossed, ledgers = ledger_keys,
    life_ms = false,
  }
  holds[key] = hold
  return hold
end

-- Returns nil for an unknown hold.
local function hold_at(key)
  local packed = not holds[key] and redis.call('GET', key)
  if not packed then
    return holds[key]
  end
  if string.byte(packed) ~= HOLD_VERSION then
    error('UNKNOWN_FORM hold ' .. string.byte(packed))
  end
  local _, state, amount, granted, reserved_at, crossed_bytes, keys_bytes, at = struct.unpack(HOLD_LAYOUT, packed)
  if #packed + 1 ~= at + crossed_bytes + keys_bytes then
    error('a hold is damaged')
  end
  return keep_hold(
    key, state, amount, granted, reserved_at, string.sub(packed, at, at + crossed_bytes - 1),
    string.sub(packed, at + crossed_bytes)
  )
end

-- Writes changed holds. Only these have `life_ms`, their remaining life.
local function save_holds()
  for key, hold in pairs(holds) do
    if hold.life_ms then
      local ledger_keys = hold.state == SETTLED and '' or hold.ledgers
      local head = struct.pack(
        HOLD_LAYOUT, HOLD_VERSION, hold.state, hold.amount, hold.granted, hold.reserved_at, #hold.crossed, #ledger_keys
      )
      redis.call('SET', key, head .. hold.crossed .. ledger_keys, 'PX', hold.life_ms)
      hold.life_ms = false
    end
  end
end
