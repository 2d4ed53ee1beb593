-- Shared by the scripts of sessions: how long one lives, and its place among the key's live sessions.
--
-- The score of a live session is the time at which its life ends, so that those without an answer go first, and then the
-- least recently used. It lags behind by LAG_SHARE of a life, and never by more than MAX_LAG_MS, since not every use is
-- worth a write: whoever forgets sessions looks at them first. One that was looked at in vain, because a call was on its
-- way, is put at IN_FLIGHT and the end of the last lease, after all others, until it is used again.

-- @include ../../redis/entries.lua
-- @include session.lua
-- @include calls.lua

local IN_FLIGHT = 10000000000000
local LAG_SHARE, MAX_LAG_MS = 64, 10000

-- A session with all that hangs on it. In KEYS, from `key` on: its string, the key's live sessions (sorted set), its
-- purse. In ARGV, from `arg` on: its id, and in ms the life of an idle session, the life of one that no call was answered
-- in yet, and the lease of a call.
local function session_of(key, arg)
  local session = session_at(KEYS[key])
  session.index, session.purse, session.id = KEYS[key + 1], KEYS[key + 2], ARGV[arg]
  session.terms = { ttl = tonumber(ARGV[arg + 1]), unanswered = tonumber(ARGV[arg + 2]), lease = tonumber(ARGV[arg + 3]) }
  return session
end

-- Keeps a session alive that is in use. With an operation its call is on its way. Whoever has no answer may be anybody who
-- tries; a lease never outlives its session.
local function put_off(session, now, operation)
  local terms = session.terms
  local life = session.answered and terms.ttl or math.min(terms.ttl, terms.unanswered)
  drop_lapsed(session, now)
  if operation then
    add_call(session, operation, now + math.min(life, terms.lease))
  end
  session.used, session.ends, session.life_ms, session.changed = now, now + life, life, true
end

local function place_of(session)
  if session.in_flight then
    return IN_FLIGHT + last_lease(session)
  end
  local life, lag = session.ends - session.used, session.ends - session.place
  if lag >= 0 and lag <= math.min(life / LAG_SHARE, MAX_LAG_MS) then
    return session.place
  end
  return session.ends
end

-- Writes what was changed. The purse of a session that was put off lives as long as it does.
local function save_sessions()
  for _, session in pairs(sessions) do
    if session.changed then
      local place = session.created >= 0 and place_of(session) or session.place
      if place ~= session.place then
        session.place = place
        redis.call('ZADD', session.index, int(place), session.id)
        if session.terms then
          redis.call('PEXPIRE', session.index, int(session.terms.ttl + MAX_LAG_MS))
        end
      end
      write_session(session)
      if session.life_ms and session.purse then
        redis.call('PEXPIRE', session.purse, int(session.life_ms))
      end
    end
  end
end
