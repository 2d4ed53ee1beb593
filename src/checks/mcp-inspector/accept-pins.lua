#!lua
-- Accepts the changed definitions of a server's tools as the pinned ones. A repeat finds nothing left to accept.
--
-- KEYS  1 pins of the server (hash, see pin-tools.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 prefix of the digest of the changed definition; '' accepts any
--       3.. tool names; none = all changed tools
-- reply name and digest of each accepted tool

-- @include ../../redis/clock.lua
-- @include ../../redis/form.lua

local now = int(now_ms(ARGV[1]))

check_form('pins', redis.call('HGET', KEYS[1], 'form'))

local names = {}
for at = 3, #ARGV do
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
  local digest = change and string.match(change, '^(%S+)')
  if digest and string.sub(digest, 1, #ARGV[2]) == ARGV[2] then
    redis.call('HSET', KEYS[1], 'pin:' .. name, digest .. ' ' .. now)
    redis.call('HDEL', KEYS[1], 'changed:' .. name)
    accepted[#accepted + 1] = { name, digest }
  end
end
return accepted
