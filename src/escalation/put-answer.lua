#!lua
-- Stores a person's answer for a gateway that has not received it. The first answer stays, unless it was found to be
-- invalid. Repeats store an answer once.
--
-- KEYS  1 the answer (string)
-- ARGV  1 the answer   2 its lifetime, ms   3 the value that may be replaced; '' = none
-- reply the stored answer

local kept = redis.call('GET', KEYS[1])
if kept and kept ~= ARGV[3] then
  return kept
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
