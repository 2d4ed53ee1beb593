#!lua flags=no-writes
-- Refuses unless a session's topic is still as it was read ahead.
--
-- KEYS  1 drift (hash)
-- ARGV  1 its head (see pass-turn.lua) as it was read; '' = there was nothing
-- reply 1 | 0

if (redis.call('HGET', KEYS[1], 'head') or '') == ARGV[1] then
  return 1
end
return 0, false
