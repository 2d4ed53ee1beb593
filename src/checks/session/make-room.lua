-- Shared by the script that opens sessions: keeps the key's live sessions to their number.
--
-- KEYS  1..4 see life.lua   5 risk profile, whose name ends with the key's hash
-- ARGV  12 keys of a session, its hash first, with # for the key's hash and * for the session's id; in one string

local PROFILE = 'gateway:risk_profile:'
-- Leases looked at, and sessions forgotten, in one call; the next one goes on.
local LAPSED_PER_CALL, FORGOTTEN_PER_CALL = 64, 8

-- The keys of another session of this key, of one slot with those in KEYS.
local function keys_of(id)
  local hash = string.sub(KEYS[5], #PROFILE + 1)
  local keys = {}
  for template in string.gmatch(ARGV[12], '%S+') do
    keys[#keys + 1] = (string.gsub(string.gsub(template, '#', hash), '%*', id))
  end
  return keys
end

-- Takes those whose life is over out of the index, and those whose gateway died with a call back among the idle.
local function prune(now)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', int(now))
  local lapsed = redis.call(
    'ZRANGEBYSCORE', KEYS[2], int(IN_FLIGHT), int(IN_FLIGHT + now), 'LIMIT', 0, LAPSED_PER_CALL
  )
  for _, id in ipairs(lapsed) do
    local left = redis.call('PTTL', keys_of(id)[1])
    if left > 0 then
      redis.call('ZADD', KEYS[2], int(now + left), id)
    else
      redis.call('ZREM', KEYS[2], id)
    end
  end
end

-- Forgets all of the sessions that are first to go, and returns their ids; none where a call is on its way in each.
local function evict(wanted)
  local first = redis.call('ZRANGE', KEYS[2], 0, math.min(wanted, FORGOTTEN_PER_CALL) - 1, 'WITHSCORES')
  local gone = {}
  for at = 1, #first, 2 do
    if tonumber(first[at + 1]) < IN_FLIGHT then
      redis.call('ZREM', KEYS[2], first[at])
      redis.call('DEL', unpack(keys_of(first[at])))
      gone[#gone + 1] = first[at]
    end
  end
  return gone
end
