-- Shared by the scripts of sessions: how long one lives.

-- @include ../../redis/session.lua
-- @include calls.lua

-- A session with all that hangs on it. In KEYS, from `key` on: its string, the key's live sessions (sorted set), its
-- ledger. ARGV[arg] is its id. Constants, in ms, those with _TEXT as digits: SESSION_TTL, the life of an idle session;
-- UNANSWERED_LIFE, of one that no call was answered in yet, not longer; INDEX_LIFE; CALL_LEASE, the lease of a call.
local function session_of(key, arg)
  local session = session_at(KEYS[key])
  session.index, session.ledger, session.id, session.index_ms = KEYS[key + 1], KEYS[key + 2], ARGV[arg], INDEX_LIFE_TEXT
  return session
end

-- Keeps a session alive that is in use. With an operation its call is on its way. Whoever has no answer may be anybody who
-- tries; a lease never outlives its session.
local function put_off(session, now, operation)
  local answered = session.answered
  local life = answered and SESSION_TTL or UNANSWERED_LIFE
  drop_lapsed(session, now)
  if operation then
    add_call(session, operation, now + (life < CALL_LEASE and life or CALL_LEASE))
  end
  session.used, session.ends, session.changed = now, now + life, true
  session.life_ms = answered and SESSION_TTL_TEXT or UNANSWERED_LIFE_TEXT
end
