#!lua
-- Stores a server's tool definitions by digest, so that operators can see what changed. A repeat changes nothing.
-- Definitions beyond the limit are not stored, because only operators read them.
--
-- KEYS  1 definitions of the server (hash: <digest> -> JSON)
-- ARGV  1 maximum number of definitions   2.. digest and JSON of each
-- reply number of definitions added

local added = 0
local room = tonumber(ARGV[1]) - redis.call('HLEN', KEYS[1])
for at = 2, #ARGV, 2 do
  if added < room then
    added = added + redis.call('HSETNX', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
return added
