-- Assigns a name to a new key.
-- KEYS[1] key names (hash: name -> key hash)
-- ARGV[1] name
-- ARGV[2] hash of the key that may lose the name; empty if the name is free
-- ARGV[3] hash of the new key
-- Reply: 1 the new key has the name, 0 another key took it first. Idempotent.
local holder = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if holder == ARGV[3] then
  return 1
end
if holder ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
