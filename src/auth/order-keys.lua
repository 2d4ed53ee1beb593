-- Enters keys of an earlier release in the order of creation.
-- KEYS[1] index of all keys
-- KEYS[2] keys by creation time, in Unix ms
-- ARGV    creation time, hash, creation time, hash …
-- Reply: 1. Idempotent. Leaves out keys that the index no longer has, because both must have the same length.
for at = 1, #ARGV, 2 do
  if redis.call('ZSCORE', KEYS[1], ARGV[at + 1]) then
    redis.call('ZADD', KEYS[2], 'NX', ARGV[at], ARGV[at + 1])
  end
end
return 1
