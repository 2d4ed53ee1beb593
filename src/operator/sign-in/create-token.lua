-- Stores a new API token, and removes expired ones.
-- Idempotent: the hash of 32 random bytes is the operation id.
--
-- KEYS  1 tokens (hash)   2 their last uses (hash)
-- ARGV  1 hash of the token   2 its lifetime, ms   3 maximum number of tokens   4 its other fields (JSON object without
--       times)
-- reply {'created', JSON} or {'full'}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
  return { 'created', known }
end
local stored = redis.call('HGETALL', KEYS[1])
local alive = #stored / 2
for i = 1, #stored, 2 do
  if cjson.decode(stored[i + 1]).expires_at <= now then
    redis.call('HDEL', KEYS[1], stored[i])
    redis.call('HDEL', KEYS[2], stored[i])
    alive = alive - 1
  end
end
if alive >= tonumber(ARGV[3]) then
  return { 'full' }
end
local token = cjson.decode(ARGV[4])
token.created_at = now
token.expires_at = now + tonumber(ARGV[2])
local text = cjson.encode(token)
redis.call('HSET', KEYS[1], ARGV[1], text)
return { 'created', text }
