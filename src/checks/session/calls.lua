-- Shared by the session scripts: a session's calls in flight. Each entry consists of the end of the lease (double, Unix
-- ms) and the operation. The lease of the last entry ends last, even if the clock was set back.

local function call_at(session, operation)
  return entry_at(session.calls, short_id(operation), CALL_BYTES, 8)
end

-- Removes a call. Returns false if it is not in flight.
local function take_call(session, operation)
  local at = call_at(session, operation)
  if not at then
    return false
  end
  session.calls = string.sub(session.calls, 1, at - 1) .. string.sub(session.calls, at + CALL_BYTES)
  session.changed = true
  return true
end

-- Returns the end of the last lease, or 0 if no call is in flight.
local function last_lease(session)
  local calls = session.calls
  return calls == '' and 0 or (struct.unpack('<d', calls, #calls - CALL_BYTES + 1))
end

-- Returns the position of the first call with a live lease.
local function first_running(session, now)
  local calls, at = session.calls, 1
  while at <= #calls and struct.unpack('<d', calls, at) <= now do
    at = at + CALL_BYTES
  end
  return at
end

local function add_call(session, operation, lease_end)
  take_call(session, operation)
  local ends = math.max(lease_end, last_lease(session))
  session.calls = session.calls .. struct.pack(CALL_LAYOUT, ends, short_id(operation))
end

local function drop_lapsed(session, now)
  local at = first_running(session, now)
  if at > 1 then
    session.calls = string.sub(session.calls, at)
  end
end
