#!lua
-- Locks a key. An existing lock that lasts longer stays. A repeat sets the same lifetime again.
--
-- KEYS  1 quarantine lock (string)
-- ARGV  1 value of the lock: the id of its cause, and the reason
--       2 its lifetime in ms
-- reply remaining time of the lock in effect, ms; -1 for a permanent lock

local left = redis.call('PTTL', KEYS[1])
if left == -1 or left >= tonumber(ARGV[2]) then
  return left
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return tonumber(ARGV[2])
