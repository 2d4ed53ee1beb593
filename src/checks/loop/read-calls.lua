#!lua flags=no-writes
-- Reads the calls of a session that were answered, newest first.
--
-- KEYS  1 calls (sorted set of `<operation id>:<fingerprint>` by Unix ms)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 how far back, ms
--       3 at most so many
-- reply {age in ms, fingerprint in 16 hex digits, for each call}

-- @include ../../redis/clock.lua

local now = now_ms(ARGV[1])

local from = '(' .. int(now - tonumber(ARGV[2]))
local found = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', from, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local reply = {}
for i = 1, #found, 2 do
  reply[#reply + 1] = math.max(now - tonumber(found[i + 1]), 0)
  reply[#reply + 1] = string.sub(found[i], -16)
end
return reply
