#!lua flags=allow-oom
-- Resets score, block, taints and remembered findings of a key; totals and a pending lock stay. Idempotent by the
-- operation's key, so that a repeat does not reset later scores. May run when Redis is full, because it frees memory.
--
-- KEYS  1 risk profile (hash)   2 operation (string)   3 scored findings (sorted set)
-- ARGV  1 how long the operation is remembered, ms
-- reply 1 done, 0 already done

-- @include ../redis/form.lua

check_form('risk_profile', redis.call('HGET', KEYS[1], 'form'))
if redis.call('EXISTS', KEYS[2]) == 1 then
  return 0
end
redis.call('HDEL', KEYS[1], 'risk_score', 'scored_at', 'blocked_at', 'persistent_taint_flags')
redis.call('DEL', KEYS[3])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[1])
return 1
