#!lua
-- Keeps a person's answer for a gateway that has not heard it: the first one stays, but for one that was found to be none.
-- Idempotent: the same answer is kept once.
--
-- KEYS  1 the answer (string)
-- ARGV  1 the answer   2 for how long, ms   3 what may be replaced; '' = nothing
-- reply what is kept now

local kept = redis.call('GET', KEYS[1])
if kept and kept ~= ARGV[3] then
  return kept
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
