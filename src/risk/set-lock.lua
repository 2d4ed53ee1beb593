#!lua
-- Locks a key; a lock that is there and lasts longer stays. A repeat sets the same life again.
--
-- KEYS  1 quarantine lock (string)
-- ARGV  1 value of the lock: the id of what set it, and why
--       2 its life in ms
-- reply life of the lock that holds now, ms; -1 where it has no end

local left = redis.call('PTTL', KEYS[1])
if left == -1 or left >= tonumber(ARGV[2]) then
  return left
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return tonumber(ARGV[2])
