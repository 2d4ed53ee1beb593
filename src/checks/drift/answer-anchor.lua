#!lua
-- Keeps the answer of a session's anchor. Repeating it changes nothing.
--
-- KEYS  1 drift (hash)
-- ARGV  1 digest of the turn that was answered
--       2 the answer's n-grams; kept if they are more than those of an answer that is kept already
-- reply 1 where it is kept; 0 where not, where that turn is not the anchor, or where the session is gone

if redis.call('HGET', KEYS[1], 'anchor_digest') ~= ARGV[1] then
  return 0
end
if #ARGV[2] <= redis.call('HSTRLEN', KEYS[1], 'answer') then
  return 0
end

local function commit()
  redis.call('HSET', KEYS[1], 'answer', ARGV[2])
end

return 1, commit
