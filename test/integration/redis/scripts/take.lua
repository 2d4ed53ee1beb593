#!lua
-- Takes one of what is left, unless there is none; says so before it writes.
--
-- KEYS  1 what is left (string)
-- ARGV  1 how much is taken
-- reply {taken | refused, what was left, what it sees}

-- @include include.lua

local left = tonumber(redis.call('GET', KEYS[1]) or '0')
if left < tonumber(ARGV[1]) then
  return { 'refused', left, seen() }, false
end
return { 'taken', left, seen() }, function()
  redis.call('SET', KEYS[1], left - tonumber(ARGV[1]))
end
