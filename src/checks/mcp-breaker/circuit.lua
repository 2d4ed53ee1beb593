-- Shared by the circuit scripts. A circuit is a hash that exists while the circuit is not closed: opened (Unix ms)
-- and, during a probe, probe (its operation id) and probe_until (Unix ms). A call passes two circuits: its server's,
-- shared by all keys, and its own key's at that server.

-- @include ../../redis/form.lua

-- Returns closed | open | half_open, and the ms until the next probe. A time in the future was written before the
-- clock went back, and counts as past.
local function state_of(key, now, window, lease)
  local fields = redis.call('HMGET', key, 'opened', 'probe_until', 'form')
  check_form('circuit', fields[3])
  if not fields[1] then
    return 'closed', 0
  end
  local opened, probe_until = tonumber(fields[1]), tonumber(fields[2])
  if probe_until and probe_until > now and probe_until <= now + lease then
    return 'open', probe_until - now
  end
  if opened <= now and opened + window > now then
    return 'open', opened + window - now
  end
  return 'half_open', 0
end
