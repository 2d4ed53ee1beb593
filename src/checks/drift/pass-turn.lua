#!lua
-- Counts one turn of a session that passed, and keeps what it changes: the anchor if there is none yet, the prior
-- turn, what widens the anchor. A turn that is among the last ones changes nothing, so the turn's digest is the
-- operation id, and an agent that sends its last message again with more tool results makes no new turn.
--
-- KEYS  1 drift (hash)
-- ARGV  1 digest of the turn, without spaces
--       2 ttl in ms
--       3 turns that are known again
--       4 characters of all that widens the anchor
--       5 the turn's n-grams as anchor, or ''; where there is one already, the turn is only counted
--       6 the turn's n-grams as prior turn, or ''
--       7 n-grams that widen the anchor, or ''
-- reply 1 where the turn is the anchor, now or already; else 0

local digest = ARGV[1]
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
  local first = math.max(1, #recent - tonumber(ARGV[3]) + 1)
  redis.call('HSET', KEYS[1], 'recent', table.concat(recent, ' ', first))
  redis.call('HINCRBY', KEYS[1], 'turn_count', 1)
  if ARGV[5] ~= '' then
    if not anchor then
      anchor_digest = digest
      redis.call('HSET', KEYS[1], 'anchor', ARGV[5], 'anchor_digest', digest, 'prior', ARGV[5])
    end
  else
    if ARGV[6] ~= '' then
      redis.call('HSET', KEYS[1], 'prior', ARGV[6])
    end
    local widened = fields[4] or ''
    if ARGV[7] ~= '' and #widened + #ARGV[7] <= tonumber(ARGV[4]) then
      redis.call('HSET', KEYS[1], 'widened', widened .. ARGV[7])
    end
  end
end

redis.call('PEXPIRE', KEYS[1], string.format('%.0f', tonumber(ARGV[2])))
return anchor_digest == digest and 1 or 0
