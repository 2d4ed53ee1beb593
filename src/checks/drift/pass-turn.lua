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
local fields = redis.call('HMGET', KEYS[1], 'created', 'recent', 'anchor_digest', 'turn_count')
local created = tonumber(fields[1] or '0')
if created > session then
  return 0
end
local is_new = created < session
local recent, anchor_digest, turns = '', false, 0
if not is_new then
  recent, anchor_digest, turns = fields[2] or '', fields[3], tonumber(fields[4] or '0')
end

local known = string.find(' ' .. recent .. ' ', ' ' .. digest .. ' ', 1, true)
local changes = {}

local function set(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local function remember()
  local digests = {}
  for one in string.gmatch(recent, '%S+') do
    digests[#digests + 1] = one
  end
  digests[#digests + 1] = digest
  set('recent', table.concat(digests, ' ', math.max(1, #digests - tonumber(ARGV[4]) + 1)))
  set('turn_count', string.format('%.0f', turns + 1))
end

local function widen()
  local widened = not is_new and redis.call('HGET', KEYS[1], 'widened') or ''
  if #widened + #ARGV[8] <= tonumber(ARGV[5]) then
    set('widened', widened .. ARGV[8])
  end
end

local function change()
  if ARGV[6] ~= '' then
    if not anchor_digest then
      anchor_digest = digest
      set('anchor', ARGV[6])
      set('anchor_digest', digest)
      set('prior', ARGV[6])
    end
    return
  end
  if ARGV[7] ~= '' then
    set('prior', ARGV[7])
  end
  if ARGV[9] ~= '=' then
    set('unjudged', ARGV[9])
  end
  if ARGV[8] ~= '' then
    widen()
  end
end

if not known then
  remember()
  change()
end

local function commit()
  if is_new then
    redis.call('DEL', KEYS[1])
    set('created', ARGV[2])
  end
  if #changes > 0 then
    redis.call('HSET', KEYS[1], unpack(changes))
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end

return anchor_digest == digest and 1 or 0, commit
