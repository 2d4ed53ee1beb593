#!lua
-- Counts one turn of a session that passed, and keeps what it changes: the anchor if there is none yet, the prior
-- turn, what widens the anchor. A turn that is among the last ones changes nothing, so the turn's digest is the
-- operation id, and an agent that sends its last message again with more tool results makes no new turn. What is left
-- of an ended session of the same name goes; a late turn of one changes nothing.
--
-- KEYS  1 drift (hash)
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

local digest, session = ARGV[1], tonumber(ARGV[2])
local created = tonumber(redis.call('HGET', KEYS[1], 'created') or '0')
if created > session then
  return 0
end
if created < session then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'created', ARGV[2])
end

local fields = redis.call('HMGET', KEYS[1], 'recent', 'anchor', 'anchor_digest', 'widened')
local anchor, anchor_digest = fields[2], fields[3]
local recent = {}
local known = false

for one in string.gmatch(fields[1] or '', '%S+') do
  recent[#recent + 1] = one
  known = known or one == digest
end

if not known then
  recent[#recent + 1] = digest
  local first = math.max(1, #recent - tonumber(ARGV[4]) + 1)
  redis.call('HSET', KEYS[1], 'recent', table.concat(recent, ' ', first))
  redis.call('HINCRBY', KEYS[1], 'turn_count', 1)
  if ARGV[6] ~= '' then
    if not anchor then
      anchor_digest = digest
      redis.call('HSET', KEYS[1], 'anchor', ARGV[6], 'anchor_digest', digest, 'prior', ARGV[6])
    end
  else
    if ARGV[7] ~= '' then
      redis.call('HSET', KEYS[1], 'prior', ARGV[7])
    end
    if ARGV[9] ~= '=' then
      redis.call('HSET', KEYS[1], 'unjudged', ARGV[9])
    end
    local widened = fields[4] or ''
    if ARGV[8] ~= '' and #widened + #ARGV[8] <= tonumber(ARGV[5]) then
      redis.call('HSET', KEYS[1], 'widened', widened .. ARGV[8])
    end
  end
end

redis.call('PEXPIRE', KEYS[1], string.format('%.0f', tonumber(ARGV[3])))
return anchor_digest == digest and 1 or 0
