#!lua flags=no-writes
-- Refuses unless a session's topic is unchanged since it was read ahead.
--
-- KEYS  1 drift (hash)
-- ARGV  1 the `head` that was read (see pass-turn.lua); '' if there was none
-- reply 1 | 0

if (redis.call('HGET', KEYS[1], 'head') or '') == ARGV[1] then
  return 1
end
return 0, false
