#!lua flags=no-writes
-- Reads a session as it stands.
--
-- KEYS  1 session (hash)   2 the session's purse
-- reply {spent, the session's fields and values; none where there is no such session}

-- @include ../../redis/clock.lua
-- @include ../../redis/purse.lua
-- @include spend.lua

return { int(account_of(KEYS[2]).spent), redis.call('HGETALL', KEYS[1]) }
