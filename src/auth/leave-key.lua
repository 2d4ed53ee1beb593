-- Removes a key from the index of all keys and from the order of creation.
-- KEYS[1] index of all keys
-- KEYS[2] keys by creation time
-- ARGV[1] hash of the key
-- Reply: 1. Idempotent.
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
