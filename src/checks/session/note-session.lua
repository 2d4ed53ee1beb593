#!lua
-- Notes a taint or the name of a called tool in a session. A repeat under the same operation gets the first answer.
--
-- KEYS  1 session (hash)
-- ARGV  1 taint | tool   2 its name   3 operation id   4 how many of the kind a session holds
-- reply added | known | full | gone (there is no such session)

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 'gone'
end
local field, counter = ARGV[1] .. ':' .. ARGV[2], ARGV[1] .. 's'
local noted = redis.call('HGET', KEYS[1], field)
if noted then
  return string.match(noted, '^%d+:(.*)$') == ARGV[3] and 'added' or 'known'
end
local count = tonumber(redis.call('HGET', KEYS[1], counter) or '0')
if count >= tonumber(ARGV[4]) then
  return 'full'
end
redis.call('HSET', KEYS[1], counter, count + 1, field, (count + 1) .. ':' .. ARGV[3])
return 'added'
