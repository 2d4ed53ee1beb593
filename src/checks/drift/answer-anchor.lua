#!lua
-- Stores the answer to a session's anchor. A repeat changes nothing.
--
-- KEYS  1 drift (hash)
-- ARGV  1 digest of the turn that was answered
--       2 n-grams of the answer; stored if there are more than in the stored answer
-- reply 1 if stored; 0 if not, if the turn is not the anchor, or if the session is gone

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
