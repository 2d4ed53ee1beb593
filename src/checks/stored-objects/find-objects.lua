#!lua
-- Reports which objects a key created at a provider, and extends their life. A repeat only changes times.
--
-- KEYS  1 the key's objects (sorted set of digests by Unix ms)
-- ARGV  1 now in Unix ms for tests, '' = Redis clock
--       2 ms until an unused object is forgotten
--       3... digests
-- reply 1 | 0 for each digest

-- @include ../../redis/clock.lua

local now = now_ms(ARGV[1])
local out = {}
for i = 3, #ARGV do
  local used = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i]) or nil)
  local isOwn = used and used > now - tonumber(ARGV[2])
  if isOwn then
    redis.call('ZADD', KEYS[1], int(now), ARGV[i])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  out[i - 2] = isOwn and 1 or 0
end
return out
