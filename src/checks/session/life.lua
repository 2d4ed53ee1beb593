-- Shared by the scripts of sessions: how long one lives, and which one goes first.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 the session's purse (string)
--       4 its calls on their way (sorted set of operation ids by the time their lease ends)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 session id   3 life of an idle session, ms   4 life of one that no call was answered in yet, ms
--       5 lease of a call, ms
--
-- The score of a live session is the time at which its life ends, so that those without an answer go first, and then
-- the least recently used; with a call on its way it is IN_FLIGHT and the end of the last lease, after all others.

local IN_FLIGHT = 10000000000000

-- Whoever has no answer may be anybody who tries; a lease never outlives its session.
local function life_of(answered)
  local ttl = tonumber(ARGV[3])
  local life = answered and ttl or math.min(ttl, tonumber(ARGV[4]))
  return life, math.min(life, tonumber(ARGV[5]))
end

-- Puts a session in its place among the live ones.
local function place(now, ends)
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', int(now))
  local last = redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', KEYS[2], last and int(IN_FLIGHT + tonumber(last)) or int(ends), ARGV[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end

-- Keeps a session alive that is in use: its own hash, its purse, and its place. With an operation its call is on its way.
local function put_off(now, operation)
  local life, lease = life_of(redis.call('HEXISTS', KEYS[1], 'answered') == 1)
  if operation then
    redis.call('ZADD', KEYS[4], int(now + lease), operation)
    redis.call('PEXPIRE', KEYS[4], int(lease))
  end
  redis.call('HSET', KEYS[1], 'used', int(now))
  redis.call('PEXPIRE', KEYS[1], int(life))
  redis.call('PEXPIRE', KEYS[3], int(life))
  place(now, now + life)
end

-- True where it is still the session that was created then; '' = whenever.
local function lives_since(created)
  local stored = redis.call('HGET', KEYS[1], 'created')
  return stored and (created == '' or stored == created)
end
