-- Stores a gateway's announcement, and removes expired announcements.
-- KEYS[1]  announcements
-- KEYS[2]  expiry times of announcements
-- ARGV[1]  gateway id
-- ARGV[2]  lifetime of an announcement in ms
-- ARGV[3]  maximum number of gateways
-- ARGV[4]  the announcement; empty if the gateway stops
-- Reply: 1, or 0 if there are too many gateways.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do
  redis.call('HDEL', KEYS[1], gone)
  redis.call('ZREM', KEYS[2], gone)
end
if ARGV[4] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1
end
local known = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not known and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then
  return 0
end
local life = tonumber(ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[4])
redis.call('ZADD', KEYS[2], string.format('%.0f', now + life), ARGV[1])
redis.call('PEXPIRE', KEYS[1], life)
redis.call('PEXPIRE', KEYS[2], life)
return 1
