#!lua
-- Adds an answered call to its session's calls. Idempotent under the operation id: a repeat finds it there.
--
-- KEYS  1 calls (sorted set of `<operation id>:<fingerprint>` by Unix ms)   2 their session (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 operation id     3 fingerprint in 16 hex digits
--       4 how long calls are kept, ms     5 how many are kept
-- reply 1

-- @include ../../redis/clock.lua
-- @include keep.lua

local now = now_ms(ARGV[1])

redis.call('ZADD', KEYS[1], 'NX', int(now), ARGV[2] .. ':' .. ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', int(now - tonumber(ARGV[4])))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[5]))
keep(KEYS[1], ARGV[4], KEYS[2])
return 1
