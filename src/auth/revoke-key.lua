-- Revokes a key permanently; the time of the first revocation stays.
-- KEYS[1] key record
-- Reply: 1 revoked, 0 unknown key. Idempotent.
if redis.call('HEXISTS', KEYS[1], 'key_hash') == 0 then
  return 0
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSETNX', KEYS[1], 'revoked_at', string.format('%.0f', now))
return 1
