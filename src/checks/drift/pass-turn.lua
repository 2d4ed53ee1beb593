#!lua
-- Counts one turn of a session that passed, and keeps what it changes: the anchor if there is none yet, the prior
-- turn, what widens the anchor. A turn that is among the last ones changes nothing, so the turn's digest is the
-- operation id, and an agent that sends its last message again with more tool results makes no new turn. What is left
-- of an ended session of the same name goes; a late turn of one changes nothing.
--
-- KEYS  1 topic (see topic.lua)
-- ARGV  1 digest of the turn, without spaces
--       2 when its session was created, Unix ms
--       3 ttl in ms
--       4 turns that are known again
--       5 characters of all that widens the anchor
--       6 the turn's n-grams as anchor, or ''; where there is one already, the turn is only counted
--       7 the turn's n-grams as prior turn, or ''
--       8 n-grams that widen the anchor, or ''
--       9 short turns that are not judged yet, a space between their n-grams; '=' where they stay as they are
-- reply 1 where the turn is the anchor, now or already; else 0

-- @include topic.lua

local digest, created = ARGV[1], tonumber(ARGV[2])
local topic = topic_at(KEYS[1])
if topic and topic.created > created then
  return 0
end
if not topic or topic.created < created then
  topic = new_topic(created)
end

local known = string.find(' ' .. topic.recent .. ' ', ' ' .. digest .. ' ', 1, true)

local function remember()
  local recent = {}
  for one in string.gmatch(topic.recent, '%S+') do
    recent[#recent + 1] = one
  end
  recent[#recent + 1] = digest
  topic.recent = table.concat(recent, ' ', math.max(1, #recent - tonumber(ARGV[4]) + 1))
  topic.turns = topic.turns + 1
end

local function change()
  if ARGV[6] ~= '' then
    if topic.anchor_digest == '' then
      topic.anchor, topic.anchor_digest, topic.prior = ARGV[6], digest, ARGV[6]
    end
    return
  end
  if ARGV[7] ~= '' then
    topic.prior = ARGV[7]
  end
  if ARGV[9] ~= '=' then
    topic.unjudged = ARGV[9]
  end
  if #topic.widened + #ARGV[8] <= tonumber(ARGV[5]) then
    topic.widened = topic.widened .. ARGV[8]
  end
end

if not known then
  remember()
  change()
end

local function commit()
  if known then
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  else
    redis.call('SET', KEYS[1], packed_topic(topic), 'PX', ARGV[3])
  end
end

return topic.anchor_digest == digest and 1 or 0, commit
