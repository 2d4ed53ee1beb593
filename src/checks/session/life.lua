-- Shared by the session scripts: the life of a session.

-- @include ../../redis/session.lua
-- @include calls.lua

-- Returns a session with its keys. KEYS from `key` on: its string, the key's live sessions (sorted set), its ledger.
-- ARGV[arg] is its id. Constants, in ms, or as digits if they end with _TEXT: SESSION_TTL, the life of an idle session;
-- UNANSWERED_LIFE, that of a session without an answered call, at most SESSION_TTL; INDEX_LIFE; CALL_LEASE.
local function session_of(key, arg)
  local session = session_at(KEYS[key])
  session.index, session.ledger, session.id, session.index_ms = KEYS[key + 1], KEYS[key + 2], ARGV[arg], INDEX_LIFE_TEXT
  return session
end

-- Extends the life of a session in use. With an operation, its call is now in flight. Sessions without an answer have a
-- shorter life, because anyone can open them. A lease never outlives its session.
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
