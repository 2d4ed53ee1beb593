-- Stores the record of a new key.
-- KEYS[1]  key record
-- ARGV[1]  lifetime in ms; 0 for a key that never expires
-- ARGV[2]  field that admits its raw key
-- ARGV[3…] field, value, field, value …
-- Reply: 1. A repeated call finds the record and changes nothing; its operation id is the hash of 32 random bytes.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 1
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[1], 'created_at', string.format('%.0f', now), ARGV[2], '', unpack(ARGV, 3))
local life = tonumber(ARGV[1])
if life > 0 then
  redis.call('HSET', KEYS[1], 'expires_at', string.format('%.0f', now + life))
end
return 1
