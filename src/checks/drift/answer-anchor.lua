#!lua
-- Keeps the answer of a session's anchor. Repeating it changes nothing.
--
-- KEYS  1 drift (hash)
-- ARGV  1 digest of the turn that was answered
--       2 the answer's n-grams; kept if they are more than those of an answer that is kept already
-- reply 1 where it is kept; 0 where not, where that turn is not the anchor, or where the session is gone

-- @include ../../redis/form.lua

local fields = redis.call('HMGET', KEYS[1], 'anchor_digest', 'head', 'form')
check_form('drift', fields[3])
if fields[1] ~= ARGV[1] then
  return 0
end
local others, chars = string.match(fields[2] or '', '^(%d+ %d+ )(%d+)$')
if #ARGV[2] <= tonumber(chars) then
  return 0
end

local function commit()
  redis.call('HSET', KEYS[1], 'answer', ARGV[2], 'head', others .. #ARGV[2])
end

return 1, commit
