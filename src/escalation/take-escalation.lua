#!lua
-- Takes a waiting request, so that only one answer is used, because later answers find nothing. A repeat after a lost
-- reply also finds nothing, and the request is refused.
--
-- KEYS  1 the request (string)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock   2 Unix ms at which the answer expires
-- reply taken | late | gone

-- @include ../redis/clock.lua

if now_ms(ARGV[1]) >= tonumber(ARGV[2]) then
  return 'late'
end
return redis.call('DEL', KEYS[1]) == 1 and 'taken' or 'gone'
