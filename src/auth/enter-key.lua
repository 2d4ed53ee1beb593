-- Enters a new key in the index of all keys and in the order of creation. The first key completes the order of last
-- use, because no earlier release can have used a key.
-- KEYS[1] index of all keys, all scores 0
-- KEYS[2] keys by creation time, in Unix ms
-- KEYS[3] present while the order of last use is complete (string)
-- ARGV[1] hash of the key   ARGV[2] time in ms for which the order counts as complete
-- Reply: 1. Idempotent.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[3], '1', 'PX', ARGV[2])
end
redis.call('ZADD', KEYS[1], 0, ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', string.format('%.0f', now), ARGV[1])
return 1
