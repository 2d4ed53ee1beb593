#!lua
-- Takes the changed definitions of a server's tools for the pinned ones. A repeat finds nothing left to accept.
--
-- KEYS  1 pins of the server (hash, see pin-tools.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2.. names of tools; none = every changed one
-- reply names of the tools that had changed

-- @include ../../redis/clock.lua

local now = int(now_ms(ARGV[1]))

local names = {}
for at = 2, #ARGV do
  names[#names + 1] = ARGV[at]
end
if #names == 0 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    names[#names + 1] = string.match(field, '^changed:(.*)$')
  end
end

local accepted = {}
for _, name in ipairs(names) do
  local change = redis.call('HGET', KEYS[1], 'changed:' .. name)
  if change then
    redis.call('HSET', KEYS[1], 'pin:' .. name, string.match(change, '^(%S+)') .. ' ' .. now)
    redis.call('HDEL', KEYS[1], 'changed:' .. name)
    accepted[#accepted + 1] = name
  end
end
return accepted
