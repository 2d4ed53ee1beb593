#!lua
-- Notes a taint, or an answered call of an MCP server and the name of its tool, in a session that from then on stays
-- until it is idle or ended. A repeat under the same operation gets the first answer.
--
-- KEYS  1 session (hash)   2 the key's live sessions (sorted set)   3 the session's purse (hash)
-- ARGV  1 now in Unix ms, for tests; '' = Redis's own clock
--       2 session id   3 life of an idle session, ms   4 when the session was created; '' = whenever
--       5 taint | tool   6 its name; '' notes none   7 operation id   8 how many of the kind a session holds
-- reply added | known | full | gone (there is no such session)

-- @include ../../redis/clock.lua
-- @include life.lua

local created = redis.call('HGET', KEYS[1], 'created')
if not created or (ARGV[4] ~= '' and created ~= ARGV[4]) then
  return 'gone'
end
put_off(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3], now_ms(ARGV[1]))
redis.call('HSET', KEYS[1], 'kept', '1')
if ARGV[6] == '' then
  return 'known'
end

local field, counter = ARGV[5] .. ':' .. ARGV[6], ARGV[5] .. 's'
local noted = redis.call('HGET', KEYS[1], field)
if noted then
  return string.match(noted, '^%d+:(.*)$') == ARGV[7] and 'added' or 'known'
end
local count = tonumber(redis.call('HGET', KEYS[1], counter) or '0')
if count >= tonumber(ARGV[8]) then
  return 'full'
end
redis.call('HSET', KEYS[1], counter, count + 1, field, (count + 1) .. ':' .. ARGV[7])
return 'added'
