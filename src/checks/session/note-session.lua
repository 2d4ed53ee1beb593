#!lua
-- Notes a taint, a mark, or a call of an MCP server and the name of its tool, in a session that from then on stays until
-- it is idle or ended. A repeat under the same operation gets the first answer.
--
-- KEYS  1..4 see life.lua
-- ARGV  1..5 see life.lua   6 when the session was created; '' = whenever
--       7 taint | tool | mark   8 its name; '' notes none   9 operation id   10 how many of the kind a session holds
--      11 '1' where the call was answered 2xx, else ''
-- reply added | known | full | gone (there is no such session)

-- @include ../../redis/clock.lua
-- @include life.lua

if not lives_since(ARGV[6]) then
  return 'gone'
end
redis.call('HSET', KEYS[1], 'kept', '1')
if ARGV[11] == '1' then
  redis.call('HSET', KEYS[1], 'answered', '1')
end
put_off(now_ms(ARGV[1]))
if ARGV[8] == '' then
  return 'known'
end

local field, counter = ARGV[7] .. ':' .. ARGV[8], ARGV[7] .. 's'
local noted = redis.call('HGET', KEYS[1], field)
if noted then
  return string.match(noted, '^%d+:(.*)$') == ARGV[9] and 'added' or 'known'
end
local count = tonumber(redis.call('HGET', KEYS[1], counter) or '0')
if count >= tonumber(ARGV[10]) then
  return 'full'
end
redis.call('HSET', KEYS[1], counter, count + 1, field, (count + 1) .. ':' .. ARGV[9])
return 'added'
