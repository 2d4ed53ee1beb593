-- Records the use of an API token. Never restores a revoked token.
--
-- KEYS  1 tokens (hash)   2 their last uses (hash)
-- ARGV  1 hash of the token
-- reply 1 recorded, 0 unknown token
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', now))
return 1
