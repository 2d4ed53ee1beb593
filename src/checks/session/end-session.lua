#!lua flags=allow-oom
-- Forgets a session: what it was, what it spent, and what its loop and drift checks know. It is not read, so that one that
-- is damaged can be ended. May run when Redis is full.
--
-- KEYS  1 the key's live sessions (sorted set)   2.. the keys of the session
-- ARGV  1 session id
-- reply how many of these keys there were

redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('DEL', unpack(KEYS, 2))
