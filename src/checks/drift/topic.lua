-- Shared by the scripts of drift: what is remembered of a session's topic. One string, all of it plain characters, since
-- the store reads it as text: a line of
--
--   version (1), when the session was created (Unix ms), turns, digest of the anchor ('' where there is none), and the
--   lengths of six texts, a space between them
--
-- and the texts: n-grams of the anchor, of its answer, of what widens it, of the prior turn, of the turns that are not
-- judged yet, with a space between them, and the digests of the last turns, with a space between them.

local TOPIC_HEAD = '^1 (%d+) (%d+) (%S*) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)\n()'

local function new_topic(created)
  return {
    created = created, turns = 0, anchor_digest = '', anchor = '', answer = '', widened = '', prior = '', unjudged = '',
    recent = '',
  }
end

-- Nil where there is none.
local function topic_at(key)
  local packed = redis.call('GET', key)
  if not packed then
    return nil
  end
  local created, turns, anchor_digest, anchor, answer, widened, prior, unjudged, recent, at =
    string.match(packed, TOPIC_HEAD)
  if not created then
    error('a topic is damaged, or of a version that this gateway does not know: end its session')
  end
  local function text(length)
    at = at + length
    return string.sub(packed, at - length, at - 1)
  end
  local topic = {
    created = tonumber(created), turns = tonumber(turns), anchor_digest = anchor_digest, anchor = text(anchor),
    answer = text(answer), widened = text(widened), prior = text(prior), unjudged = text(unjudged),
    recent = text(recent),
  }
  if at ~= #packed + 1 then
    error('a topic is damaged: end its session')
  end
  return topic
end

local function packed_topic(topic)
  local anchor, answer, widened, prior = topic.anchor, topic.answer, topic.widened, topic.prior
  local unjudged, recent = topic.unjudged, topic.recent
  local head = string.format(
    '1 %.0f %d %s %d %d %d %d %d %d\n', topic.created, topic.turns, topic.anchor_digest,
    #anchor, #answer, #widened, #prior, #unjudged, #recent
  )
  return head .. anchor .. answer .. widened .. prior .. unjudged .. recent
end
