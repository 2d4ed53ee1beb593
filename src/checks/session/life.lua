-- Shared by the scripts of sessions: how long one lives.

-- @include ../../redis/session.lua
-- @include calls.lua

-- A session with all that hangs on it. In KEYS, from `key` on: its string, the key's live sessions (sorted set), its
-- ledger. In ARGV, from `arg` on: its id, and in ms the life of an idle session, the life of one that no call was answered
-- in yet, and the lease of a call.
local function session_of(key, arg)
  local session = session_at(KEYS[key])
  session.index, session.ledger, session.id = KEYS[key + 1], KEYS[key + 2], ARGV[arg]
  session.ttl, session.unanswered, session.lease = tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
  return session
end

-- Keeps a session alive that is in use. With an operation its call is on its way. Whoever has no answer may be anybody who
-- tries; a lease never outlives its session.
local function put_off(session, now, operation)
  local life = session.answered and session.ttl or math.min(session.ttl, session.unanswered)
  drop_lapsed(session, now)
  if operation then
    add_call(session, operation, now + math.min(life, session.lease))
  end
  session.used, session.ends, session.life_ms, session.changed = now, now + life, life, true
end
