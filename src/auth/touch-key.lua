-- Records the use of a key. Never creates a record.
-- KEYS[1] key record
-- Reply: 1 recorded, 0 unknown key. A repeat changes only the time.
if redis.call('HEXISTS', KEYS[1], 'key_hash') == 0 then
  return 0
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[1], 'last_used_at', string.format('%.0f', now))
return 1
