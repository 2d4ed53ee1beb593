#!lua
-- Keeps the answer of a session's anchor. Repeating it changes nothing.
--
-- KEYS  1 topic (see topic.lua)
-- ARGV  1 digest of the turn that was answered
--       2 the answer's n-grams; kept if they are more than those of an answer that is kept already
-- reply 1 where it is kept; 0 where not, where that turn is not the anchor, or where the session is gone

-- @include topic.lua

local topic = topic_at(KEYS[1])
if not topic or topic.anchor_digest ~= ARGV[1] or #ARGV[2] <= #topic.answer then
  return 0
end
topic.answer = ARGV[2]

local function commit()
  redis.call('SET', KEYS[1], packed_topic(topic), 'KEEPTTL')
end

return 1, commit
