-- Shared by the script that opens sessions: keeps the key's live sessions to their number.

-- Leases looked at in one call; the next one goes on.
local LAPSED_PER_CALL = 64

-- The keys of another session of this key, from templates with a * for its id: of one slot with those in KEYS.
local function keys_of(id, first_template)
  local keys = {}
  for at = first_template, #ARGV do
    keys[#keys + 1] = (string.gsub(ARGV[at], '%*', id))
  end
  return keys
end

-- Takes those whose life is over out of the index, and those whose gateway died with a call back among the idle.
local function prune(now, first_template)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', int(now))
  local lapsed = redis.call(
    'ZRANGEBYSCORE', KEYS[2], int(IN_FLIGHT), int(IN_FLIGHT + now), 'LIMIT', 0, LAPSED_PER_CALL
  )
  for _, id in ipairs(lapsed) do
    local left = redis.call('PTTL', keys_of(id, first_template)[1])
    if left > 0 then
      redis.call('ZADD', KEYS[2], int(now + left), id)
    else
      redis.call('ZREM', KEYS[2], id)
    end
  end
end

-- Forgets all of the session that is first to go, and returns its id; nil where a call is on its way in each.
local function evict(first_template)
  local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if not first[1] or tonumber(first[2]) >= IN_FLIGHT then
    return nil
  end
  redis.call('ZREM', KEYS[2], first[1])
  redis.call('DEL', unpack(keys_of(first[1], first_template)))
  return first[1]
end
