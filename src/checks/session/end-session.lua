#!lua flags=allow-oom
-- Deletes a session, its spend, and the data of its loop and drift checks. The session is not parsed, so damaged ones
-- can be ended too. May run when Redis is full.
--
-- KEYS  1 the key's live sessions (sorted set)   2.. the keys of the session
-- ARGV  1 session id
-- reply number of these keys that existed

redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', unpack(KEYS, 2))
