#!lua flags=no-writes
-- Refuses unless the last answered call of a session is the one that was read ahead.
--
-- KEYS  1 calls (see calls.lua)
-- ARGV  1 operation of the last call, as in its entry; '' if there was none
-- reply 1 | 0

-- @include ../../redis/entries.lua

if redis.call('GETRANGE', KEYS[1], -ID_BYTES, -1) == ARGV[1] then
  return 1
end
return 0, false
