#!lua flags=no-writes
-- Reads fields of a risk profile, and the time by which key, lock and score are judged.
--
-- KEYS  1 risk profile (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2.. fields
-- reply {now in Unix ms, the value of each field}

-- @include clock.lua

return { now_ms(ARGV[1]), unpack(redis.call('HMGET', KEYS[1], unpack(ARGV, 2))) }
