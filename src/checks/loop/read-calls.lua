#!lua flags=no-writes
-- Reads the last calls of a session that were answered.
--
-- KEYS  1 calls (see calls.lua)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 at most so many
-- reply {now, calls as they stand, the oldest first, also those that are too old by now}

-- @include ../../redis/clock.lua
-- @include ../../redis/entries.lua
-- @include calls.lua

return { now_ms(ARGV[1]), last_calls(KEYS[1], tonumber(ARGV[2])) }
