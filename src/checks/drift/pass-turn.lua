#!lua
-- Counts one turn that passed, and stores its effects: the first turn becomes the anchor, later ones replace the prior
-- turn or widen the anchor. A remembered turn changes at most the answer, because its digest is the operation id. An
-- agent that repeats its last message with more tool results makes no new turn. Data of an ended session of the same
-- name is removed. A late turn of an ended session changes nothing.
--
-- Readers that read ahead compare the field `head`: creation time of the session (Unix ms), number of turns, and length
-- of the anchor's answer in characters, separated by spaces.
--
-- KEYS  1 drift (hash)
-- ARGV  1 digest of the turn, without spaces
--       2 creation time of its session, Unix ms
--       3 the turn's n-grams as anchor, or ''; if there is an anchor, the turn is only counted
--       4 the turn's n-grams as prior turn, or ''
--       5 n-grams that widen the anchor, or ''
--       6 n-grams of short turns that are not judged yet, separated by spaces; '=' leaves them as they are
--       7 n-grams of the turn's answer, or ''; stored if the turn is the anchor and there are more than stored already
-- constants DRIFT_TTL_TEXT, ms as digits; RECENT_TURNS, the number of digests to remember; WIDENED_CHARS, the maximum
--       length of all n-grams that widen the anchor
-- reply 1 if the turn is the anchor, now or already; else 0

-- @include ../../redis/form.lua

local digest, session = ARGV[1], tonumber(ARGV[2])
local fields = redis.call('HMGET', KEYS[1], 'head', 'recent', 'anchor_digest', 'form')
check_form('drift', fields[4])
local created, turns, answer = string.match(fields[1] or '0 0 0', '^(%d+) (%d+) (%d+)$')
created = tonumber(created)
if created > session then
  return 0
end
local is_new = created < session
local recent, anchor_digest = '', false
if is_new then
  turns, answer = 0, '0'
else
  recent, anchor_digest = fields[2] or '', fields[3]
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
  set('recent', table.concat(digests, ' ', math.max(1, #digests - RECENT_TURNS + 1)))
  turns = turns + 1
end

local function keep_answer()
  if anchor_digest == digest and #ARGV[7] > tonumber(answer) then
    answer = #ARGV[7]
    set('answer', ARGV[7])
  end
end

local function widen()
  local widened = not is_new and redis.call('HGET', KEYS[1], 'widened') or ''
  if #widened + #ARGV[5] <= WIDENED_CHARS then
    set('widened', widened .. ARGV[5])
  end
end

local function change()
  if ARGV[3] ~= '' then
    if not anchor_digest then
      anchor_digest = digest
      set('anchor', ARGV[3])
      set('anchor_digest', digest)
      set('prior', ARGV[3])
    end
    return
  end
  if ARGV[4] ~= '' then
    set('prior', ARGV[4])
  end
  if ARGV[6] ~= '=' then
    set('unjudged', ARGV[6])
  end
  if ARGV[5] ~= '' then
    widen()
  end
end

if is_new and WRITE_VERSION > 1 then
  set('form', WRITE_VERSION)
end
if not known then
  remember()
  change()
end
keep_answer()
if #changes > 0 then
  set('head', ARGV[2] .. ' ' .. turns .. ' ' .. answer)
end

local function commit()
  if is_new then
    redis.call('DEL', KEYS[1])
  end
  if #changes > 0 then
    redis.call('HSET', KEYS[1], unpack(changes))
  end
  redis.call('PEXPIRE', KEYS[1], DRIFT_TTL_TEXT)
end

return anchor_digest == digest and 1 or 0, commit
