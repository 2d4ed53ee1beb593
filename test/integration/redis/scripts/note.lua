#!lua flags=allow-oom
-- Writes at once.
--
-- KEYS  1 list
-- ARGV  1 what is noted
-- reply how much was noted, what it sees

-- @include include.lua

return { redis.call('RPUSH', KEYS[1], ARGV[1]), seen() }
