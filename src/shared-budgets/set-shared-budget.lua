-- Sets, changes or removes one shared budget, and marks the set as changed, so that every gateway reads it again.
--
-- KEYS  1 default budget (hash)   2 shared budgets (hash)
-- ARGV  1 field of the budget
--       2 its value when it was read, '' if it was absent
--       3 its new value, '' removes it
--       4 new revision of the set
--       5 maximum number of fields
--       6.. field and value of the stored version; absent for the oldest version
-- reply set | changed (by someone else since it was read) | full
-- Idempotent: a repeat finds the new value.

local field, before, wanted = ARGV[1], ARGV[2], ARGV[3]
local current = redis.call('HGET', KEYS[2], field) or ''

if current ~= wanted then
  if current ~= before then
    return 'changed'
  end
  if current == '' and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[5]) then
    return 'full'
  end
  if wanted == '' then
    redis.call('HDEL', KEYS[2], field)
  else
    redis.call('HSET', KEYS[2], field, wanted, unpack(ARGV, 6))
  end
end

local left = redis.call('HLEN', KEYS[2]) - redis.call('HEXISTS', KEYS[2], 'form')
if left > 0 then
  redis.call('HSET', KEYS[1], 'shared', ARGV[4])
else
  redis.call('DEL', KEYS[2])
  redis.call('HDEL', KEYS[1], 'shared')
end
return 'set'
