#!lua flags=allow-oom
-- Writes at once.
--
-- KEYS  1 list
-- ARGV  1 the value to add
-- reply length of the list, first key and argument

-- @include include.lua

return { redis.call('RPUSH', KEYS[1], ARGV[1]), seen() }
