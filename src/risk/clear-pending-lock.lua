#!lua flags=allow-oom
-- Clears a pending lock after the lock's own key was written, unless another lock has replaced it. May run when Redis
-- is full, because it frees memory. A repeat finds nothing to clear.
--
-- KEYS  1 risk profile (hash)
-- ARGV  1 value of the lock
-- reply 1 cleared, 0 another lock or none

if redis.call('HGET', KEYS[1], 'pending_lock_id') ~= ARGV[1] then
  return 0
end
redis.call('HDEL', KEYS[1], 'pending_lock_id', 'pending_lock_until')
return 1
