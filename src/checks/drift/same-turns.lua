#!lua flags=no-writes
-- Refuses unless a session's topic is still as it was read ahead.
--
-- KEYS  1 drift (hash)
-- ARGV  1 when its session was created, Unix ms   2 turns that were counted; '' of both = there was nothing
--       3 characters of the answer of its anchor
-- reply 1 | 0

local fields = redis.call('HMGET', KEYS[1], 'created', 'turn_count')
if (fields[1] or '') == ARGV[1] and (fields[2] or '') == ARGV[2]
  and redis.call('HSTRLEN', KEYS[1], 'answer') == tonumber(ARGV[3]) then
  return 1
end
return 0, false
