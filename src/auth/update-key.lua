-- Changes settings of a key.
-- KEYS[1] key record
-- ARGV field and value, repeated; an empty value removes the field
-- Reply: 1 changed, 0 unknown key. Idempotent.
if redis.call('HEXISTS', KEYS[1], 'key_hash') == 0 then
  return 0
end
for i = 1, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
return 1
