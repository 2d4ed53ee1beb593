#!lua
-- Takes an amount from a remainder, or refuses. Returns its reply before it writes.
--
-- KEYS  1 the remainder (string)
-- ARGV  1 amount to take
-- reply {taken | refused, remainder, first key and argument}

-- @include include.lua

local left = tonumber(redis.call('GET', KEYS[1]) or '0')
if left < tonumber(ARGV[1]) then
  return { 'refused', left, seen() }, false
end
return { 'taken', left, seen() }, function()
  redis.call('SET', KEYS[1], left - tonumber(ARGV[1]))
end
