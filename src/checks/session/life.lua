-- Shared by the scripts that put off the end of a session.

-- Keeps a session alive that is in use: its own hash, its purse, and its place among the key's live sessions.
local function put_off(session, live, purse, id, ttl, now)
  redis.call('HSET', session, 'used', int(now))
  redis.call('PEXPIRE', session, ttl)
  redis.call('PEXPIRE', purse, ttl)
  redis.call('ZADD', live, 'XX', int(now), id)
  redis.call('PEXPIRE', live, ttl)
end
